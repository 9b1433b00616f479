// SPDX-License-Identifier: BSD-3-Clause
// Makes links, and looks at files as the kernel does before it starts them.
#include "preloading.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/hash.hpp"
#include "base/text_file.hpp"
#include "base/user_file.hpp"

namespace terrace {

namespace {

namespace files = std::filesystem;

bool is_split(const std::string& path) {
  return path.find_first_of(" :") != path.npos;
}

Error no_link(const std::string& library, const std::string& why) {
  return {ErrorCode::system,
          "'" + library + "' cannot be preloaded: the loader splits LD_PRELOAD at spaces and " +
              "colons, and " + why + "; install Terrace under another path, or set " +
              "XDG_CACHE_HOME to a folder without them where you may write"};
}

/// Makes a link to the folder. Other ranks may make the same one meanwhile.
bool make_link(const std::string& folder, const std::string& link) {
  std::error_code failure;
  if (files::read_symlink(link, failure) == folder) return true;
  const std::string draft = link + "." + std::to_string(getpid());
  make_folders_for(link);
  unlink(draft.c_str());
  if (symlink(folder.c_str(), draft.c_str()) != 0) return false;
  if (rename(draft.c_str(), link.c_str()) == 0) return true;
  unlink(draft.c_str());
  return false;
}

/// Whether the kernel gives a program the rights of its file.
bool heeds_rights_of(const std::string& program) {
  struct statvfs system {};
  const bool is_off = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
                      (statvfs(program.c_str(), &system) == 0 && (system.f_flag & ST_NOSUID) != 0);
  return !is_off;
}

std::string loss_of_binary(const std::string& program) {
  struct stat file {};
  if (stat(program.c_str(), &file) != 0 || !heeds_rights_of(program)) return "";
  if ((file.st_mode & S_ISUID) != 0 && file.st_uid != getuid())
    return "has the set-user-ID bit (chmod u-s takes it away)";
  if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getgid())
    return "has the set-group-ID bit (chmod g-s takes it away)";
  // Root has all capabilities anyway.
  if (getuid() != 0 && getxattr(program.c_str(), "security.capability", nullptr, 0) > 0)
    return "has file capabilities (setcap -r takes them away)";
  return "";
}

}  // namespace

Result<std::string> path_for_preload(const std::string& library) {
  if (!is_split(library)) return library;
  const files::path path = library;
  const std::string folder = path.parent_path().string();
  char name[32];
  std::snprintf(name, sizeof name, "lib-%016llx", static_cast<unsigned long long>(hash_of(folder)));
  const std::string link = user_file(UserFolder::cache, name);
  if (link.empty()) return no_link(library, "neither XDG_CACHE_HOME nor HOME is set");
  if (is_split(link)) return no_link(library, "'" + link + "' would be split, too");
  if (!make_link(folder, link))
    return no_link(library, "no link '" + link + "' to it can be made: " + std::strerror(errno));
  return link + "/" + path.filename().string();
}

std::string loss_of_preload(const std::string& program) {
  const std::string interpreter = interpreter_of(program);
  if (interpreter.empty()) return loss_of_binary(program);
  const std::string loss = loss_of_binary(interpreter);
  return loss.empty() ? "" : "is run by \"" + interpreter + "\", which " + loss;
}

std::string interpreter_of(const std::string& path) {
  std::error_code unknown;
  if (!files::is_regular_file(path, unknown)) return "";  // a pipe may wait for ever
  std::ifstream file(path, std::ios::binary);
  std::string line(256, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (!line.starts_with("#!")) return "";
  const std::size_t first = line.find_first_not_of(" \t", 2);
  return first == line.npos ? "" : line.substr(first, line.find_first_of(" \t\r\n", first) - first);
}

}  // namespace terrace
