// SPDX-License-Identifier: BSD-3-Clause
// Lets the site be searched from a disk: MkDocs' theme searches in a worker, and browsers start no
// worker for a page whose address begins with file:. There the worker's script runs in a hidden
// frame, whose window takes and gives messages as a worker does.
if (location.protocol === "file:") {
  window.Worker = function (address) {
    const worker = new EventTarget();
    const send = (to, data) => to.dispatchEvent(new MessageEvent("message", { data }));
    const frame = document.createElement("iframe");
    const started = new Promise((resolve) => {
      frame.onload = () => {
        const inside = frame.contentWindow;
        inside.postMessage = (data) => send(worker, data);
        const script = inside.document.createElement("script");
        script.onload = () => resolve(inside);
        script.src = address;
        inside.document.body.append(script);
      };
    });
    worker.postMessage = (data) => started.then((inside) => send(inside, data));
    frame.hidden = true;
    document.body.append(frame);
    return worker;
  };
}
