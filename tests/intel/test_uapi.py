"""The emulator's own declarations of the kernel interface are those of Linux: sizes, places of members and numbers are
compared by a compiler that sees both."""

import os
import re
import subprocess

from intel import HEADERS, ROOT, IntelTest, main

STRUCTS = ["engine_class_instance", "engine", "query_engines", "mem_region", "query_mem_regions", "query_config", "gt",
           "query_gt_list", "query_topology_mask", "query_engine_cycles", "query_uc_fw_version", "device_query",
           "gem_create", "gem_mmap_offset", "vm_create", "vm_destroy", "vm_bind_op", "vm_bind", "exec_queue_create",
           "exec_queue_destroy", "exec_queue_get_property", "sync", "exec", "wait_user_fence"]
# ours -> theirs, where the names differ by more than the prefix
NUMBERS = {
    "CF_XE_QUERY_ENGINES": "DRM_XE_DEVICE_QUERY_ENGINES", "CF_XE_QUERY_MEM_REGIONS": "DRM_XE_DEVICE_QUERY_MEM_REGIONS",
    "CF_XE_QUERY_CONFIG": "DRM_XE_DEVICE_QUERY_CONFIG", "CF_XE_QUERY_GT_LIST": "DRM_XE_DEVICE_QUERY_GT_LIST",
    "CF_XE_QUERY_HWCONFIG": "DRM_XE_DEVICE_QUERY_HWCONFIG",
    "CF_XE_QUERY_GT_TOPOLOGY": "DRM_XE_DEVICE_QUERY_GT_TOPOLOGY",
    "CF_XE_QUERY_ENGINE_CYCLES": "DRM_XE_DEVICE_QUERY_ENGINE_CYCLES",
    "CF_XE_QUERY_UC_FW_VERSION": "DRM_XE_DEVICE_QUERY_UC_FW_VERSION",
    "CF_XE_MEM_SYSMEM": "DRM_XE_MEM_REGION_CLASS_SYSMEM", "CF_XE_MEM_VRAM": "DRM_XE_MEM_REGION_CLASS_VRAM",
    "CF_XE_CONFIG_HAS_VRAM": "DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM",
    "CF_XE_CONFIG_HAS_LOW_LATENCY": "DRM_XE_QUERY_CONFIG_FLAG_HAS_LOW_LATENCY",
    "CF_XE_TOPO_SIMD16_EU": "DRM_XE_TOPO_SIMD16_EU_PER_DSS",
    "CF_XE_MMAP_OFFSET_PCI_BARRIER": "DRM_XE_MMAP_OFFSET_FLAG_PCI_BARRIER",
    "CF_XE_VM_CREATE_FAULT_MODE": "DRM_XE_VM_CREATE_FLAG_FAULT_MODE",
    "CF_XE_BIND_MAP": "DRM_XE_VM_BIND_OP_MAP", "CF_XE_BIND_UNMAP": "DRM_XE_VM_BIND_OP_UNMAP",
    "CF_XE_BIND_MAP_USERPTR": "DRM_XE_VM_BIND_OP_MAP_USERPTR", "CF_XE_BIND_UNMAP_ALL": "DRM_XE_VM_BIND_OP_UNMAP_ALL",
    "CF_XE_BIND_PREFETCH": "DRM_XE_VM_BIND_OP_PREFETCH", "CF_XE_BIND_READONLY": "DRM_XE_VM_BIND_FLAG_READONLY",
    "CF_XE_BIND_IMMEDIATE": "DRM_XE_VM_BIND_FLAG_IMMEDIATE", "CF_XE_BIND_NULL": "DRM_XE_VM_BIND_FLAG_NULL",
    "CF_XE_BIND_DUMPABLE": "DRM_XE_VM_BIND_FLAG_DUMPABLE", "CF_XE_EXEC_QUEUE_BAN": "DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN",
    "CF_XE_SYNC_USER_FENCE": "DRM_XE_SYNC_TYPE_USER_FENCE", "CF_XE_SYNC_SIGNAL": "DRM_XE_SYNC_FLAG_SIGNAL",
    "CF_XE_WAIT_ABSOLUTE": "DRM_XE_UFENCE_WAIT_FLAG_ABSTIME", "CF_DRM_COMMANDS": "DRM_COMMAND_BASE",
    **{f"CF_XE_WAIT_{op}": f"DRM_XE_UFENCE_WAIT_OP_{op}" for op in ("EQ", "NEQ", "GT", "GTE", "LT", "LTE")},
}


def ours():
    with open(os.path.join(ROOT, "emulator", "uapi.h"), encoding="utf-8") as file:
        return file.read()


def members(text, name):
    body = re.search(rf"struct cf_xe_{name} \{{(.*?)^\}};", text, re.DOTALL | re.MULTILINE).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    names = []
    for line in re.findall(r"(?:u?int\d+_t|struct \w+) ([^;]+);", body):
        names += [re.sub(r"\[.*?\]", "", part).strip() for part in line.split(",")]
    return [member for member in names if not member.startswith(("pad", "reserved"))]


def constants(text):
    defined = re.findall(r"^#define (CF_XE_\w+|CF_DRM_COMMANDS)\s", text, re.MULTILINE)
    listed = [name for body in re.findall(r"^enum \{(.*?)\};", text, re.DOTALL | re.MULTILINE)
              for name in re.findall(r"\bCF_XE_\w+", body)]
    return defined + listed


class Interface(IntelTest):
    def compiles(self, extra=""):
        text = ours()
        lines = ['#include <stddef.h>', '#include <drm/xe_drm.h>', '#include "emulator/uapi.h"',
                 '#define SAME(a, b) _Static_assert((a) == (b), #a " is " #b)']
        for name in STRUCTS:
            lines.append(f"SAME(sizeof(struct cf_xe_{name}), sizeof(struct drm_xe_{name}));")
            for member in members(text, name):
                lines.append(f"SAME(offsetof(struct cf_xe_{name}, {member}), offsetof(struct drm_xe_{name}, {member}));")
        for name in constants(text):
            theirs = NUMBERS.get(name) or name.replace("CF_XE_", "DRM_XE_")
            lines.append(f"SAME((unsigned){name}, (unsigned){theirs});")
        lines += ["SAME(sizeof(struct cf_drm_version), sizeof(struct drm_version));",
                  "SAME(sizeof(struct cf_drm_gem_close), sizeof(struct drm_gem_close));",
                  "SAME(CF_DRM_VERSION, DRM_IOCTL_VERSION & 0xff);", "SAME(CF_DRM_GEM_CLOSE, DRM_IOCTL_GEM_CLOSE & 0xff);",
                  extra, "int main(void) { return 0; }", ""]
        self.assertGreater(len(lines), 150)
        source = self.path("same.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        for part in ("drm", "linux"):
            if not os.path.exists(self.path(part)):
                os.symlink(os.path.join(HEADERS, part), self.path(part))
        return subprocess.run([os.environ.get("CC") or "cc", "-std=gnu11", "-fsyntax-only", "-I", self.folder, "-I", ROOT,
                               source], capture_output=True, text=True, timeout=120, check=False)

    def test_it_is_the_one_of_linux(self):
        done = self.compiles()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_difference_would_be_seen(self):
        done = self.compiles("SAME(sizeof(struct cf_xe_exec), sizeof(struct drm_xe_sync) + 1);")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("static assertion failed", done.stderr)


if __name__ == "__main__":
    main()
