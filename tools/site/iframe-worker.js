// SPDX-License-Identifier: BSD-3-Clause
// Browsers start no workers for pages on a disk, and the search is one. There a hidden frame runs
// its script instead: messages go to and fro as with a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const script = new URL(address, location.href).href;
      this.ready = new Promise((resolve) => frame.addEventListener("load", resolve));
      this.inside.document.open();
      this.inside.document.write(`<script>
        postMessage = (message) => parent.postMessage(message, "*");
        importScripts = (...addresses) => addresses.reduce((before, address) => before.then(() =>
          new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.onload = resolve;
            script.onerror = reject;
            script.src = address;
            document.body.append(script);
          })), Promise.resolve());
      </` + `script><body><script src="${script}"></` + `script>`);
      this.inside.document.close();
      addEventListener("message", ({ source, data }) => {
        if (source !== this.inside) return;
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
