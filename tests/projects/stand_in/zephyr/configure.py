# Kconfig's own rules by kconfiglib, as Zephyr does it: python3 configure.py KCONFIG PRJ_CONF prints the options
# that have a value, "CONFIG_CPP=y", with ";" between them. Warnings are errors.
import sys
import tempfile

import kconfiglib

with tempfile.TemporaryDirectory() as folder:
    top = folder + "/Kconfig"
    with open(top, "w") as file:
        for name in ("CPP", "PRINTK", "CPU_CORTEX_M4", "CPU_CORTEX_M7", "ARMV8_M_DSP", "ARMV8_1_M_MVEI"):
            file.write(f'config {name}\n\tbool "{name}"\n')
        file.write('config MAIN_STACK_SIZE\n\tint "stack"\n\tdefault 1024\n')
        file.write(f'source "{sys.argv[1]}"\n')
    kconfig = kconfiglib.Kconfig(top, warn_to_stderr=False)
    kconfig.load_config(sys.argv[2])
    for core in sys.argv[3:]:
        kconfig.syms[core].set_value("y")
    wanted = [line.strip()[7:].split("=") for line in open(sys.argv[2]) if line.startswith("CONFIG_")]
    missing = [name for name, value in wanted if kconfig.syms[name].str_value != value]
    if kconfig.warnings or missing:
        sys.exit("\n".join(kconfig.warnings + [name + " is not set" for name in missing]))
    given = [s for s in kconfig.unique_defined_syms if s.str_value not in ("", "n")]
    print(";".join(f"CONFIG_{s.name}={s.str_value}" for s in given))
