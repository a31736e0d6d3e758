# SPDX-License-Identifier: Apache-2.0
"""rules.py ECOSYSTEM FOLDER: the documented rules of the ecosystem's own files. Each fault is a line on stderr,
and the exit status is 1."""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

import yaml

faults = []
SEMANTIC_VERSION = r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?"


def expect(holds, what):
    if not holds:
        faults.append(what)


def files_below(folder, *ends):
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name.endswith(ends)]


def arduino(folder):
    """Arduino's library specification 1.5, rev. 2.2, and what Library Manager asks for."""
    lines = [line for line in (folder / "library.properties").read_text().splitlines() if not line.startswith("#")]
    fields = dict(line.split("=", 1) for line in lines if line)
    for name in "name version author maintainer sentence paragraph category url architectures".split():
        expect(fields.get(name), f"library.properties: {name} is missing")
    name = fields["name"]
    expect(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _.\-]*", name), f"name: {name}")
    expect(len(name) <= 63 and not name.lower().startswith("arduino"), f"name: {name}")
    expect(re.fullmatch(SEMANTIC_VERSION, fields["version"]), "version: " + fields["version"])
    categories = ("Display Communication Sensors Timing Other").split() + [
        "Signal Input/Output", "Device Control", "Data Storage", "Data Processing"]
    expect(fields["category"] in categories, "category: " + fields["category"])
    expect(not fields["paragraph"].startswith(fields["sentence"]), "paragraph begins with the sentence")
    expect(all(re.fullmatch(r"\*|[a-z0-9_]+", a) for a in fields["architectures"].split(",")), "architectures")
    for header in fields["includes"].split(","):
        expect((folder / "src" / header).is_file(), f"includes: {header} is not in src/")
    for source in files_below(folder, ".c", ".cpp", ".cc", ".h", ".S"):
        expect(source.relative_to(folder).parts[0] == "src", f"{source}: is outside of src/")
        expect(source.suffix != ".cc", f"{source}: older builders compile no .cc")
    expect(not (folder / "utility").exists(), "utility/ beside src/")
    for sketch in files_below(folder, ".ino"):
        expect(sketch.stem == sketch.parent.name, f"{sketch}: a sketch is called as its folder")
        expect(sketch.relative_to(folder).parts[0] == "examples", f"{sketch}: is outside of examples/")
    for line in (folder / "keywords.txt").read_text().splitlines():
        kinds = r"KEYWORD[123]|LITERAL[12]"
        expect(not line or line.startswith("#") or re.fullmatch(rf"\w+\t({kinds})", line), f"keywords.txt: {line}")


def platformio(folder):
    """The schema of library.json in PlatformIO's documentation."""
    library = json.loads((folder / "library.json").read_text())
    for name in ("name", "version", "description", "keywords"):
        expect(library.get(name), f"library.json: {name} is missing")
    known = set("$schema name version description keywords homepage repository authors license frameworks platforms "
                "headers examples dependencies export scripts build".split())
    expect(set(library) <= known, f"library.json: {set(library) - known}")
    name = library["name"]
    expect(len(name) <= 50 and re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_]*[A-Za-z0-9])?", name), f"name: {name}")
    expect(re.fullmatch(SEMANTIC_VERSION, library["version"]) and len(library["version"]) <= 20, "version")
    expect(len(library["description"]) <= 255, "description")
    expect(all(re.fullmatch(r"[a-z][a-z0-9 \-]*", word) for word in library["keywords"]), "keywords")
    build = library["build"]
    known = set("flags unflags includeDir srcDir srcFilter extraScript libArchive libLDFMode libCompatMode builder".split())
    expect(set(build) <= known, f"build: {set(build) - known}")
    expect((folder / build["srcDir"]).is_dir(), "build.srcDir")
    for header in library["headers"]:
        expect((folder / "src" / header).is_file(), f"headers: {header}")
    for example in library["examples"]:
        expect(set(example) == {"name", "base", "files"}, f"examples: {set(example)}")
        for file in example["files"]:
            expect((folder / example["base"] / file).is_file(), f"examples: {file}")
        ini = (folder / example["base"] / "platformio.ini").read_text()
        for option in ("platform", "board", "framework", "lib_deps"):
            expect(re.search(rf"(?m)^{option} = ", ini), f"platformio.ini: no {option}")
        link = re.search(r"symlink://(\S+)", ini).group(1)
        expect((folder / example["base"] / link).resolve() == folder.resolve(), f"lib_deps: {link}")


def zephyr(folder):
    """The keys of module.yml and sample.yaml in Zephyr's documentation."""
    module = yaml.safe_load((folder / "zephyr/module.yml").read_text())
    expect(set(module) <= {"name", "build", "samples", "tests", "boards"}, f"module.yml: {set(module)}")
    expect(set(module["build"]) <= {"cmake", "kconfig", "depends", "settings"}, f"module.yml: {module['build']}")
    expect((folder / module["build"]["cmake"] / "CMakeLists.txt").is_file(), "module.yml: build.cmake")
    expect((folder / module["build"]["kconfig"]).is_file(), "module.yml: build.kconfig")
    for samples in module["samples"]:
        for sample in (folder / samples).iterdir():
            for name in ("CMakeLists.txt", "prj.conf", "src/main.c"):
                expect((sample / name).is_file(), f"{sample}: no {name}")
            described = yaml.safe_load((sample / "sample.yaml").read_text())
            expect(described["sample"]["name"], "sample.yaml: no name")
            for name, test in described["tests"].items():
                expect(re.fullmatch(r"[a-zA-Z0-9_]+(\.[a-zA-Z0-9_]+)+", name), f"sample.yaml: {name}")
                expect(set(test) <= {"tags", "harness", "harness_config", "platform_allow"}, f"sample.yaml: {set(test)}")


def esp_idf(folder):
    """The manifest's format in the documentation of ESP-IDF's component manager."""
    known = set("version description url license dependencies targets maintainers tags".split())
    manifest = yaml.safe_load((folder / "idf_component.yml").read_text())
    expect(set(manifest) <= known, f"idf_component.yml: {set(manifest) - known}")
    expect(re.fullmatch(SEMANTIC_VERSION, manifest["version"]), "idf_component.yml: version")
    for example in (folder / "examples").iterdir():
        lists = (example / "CMakeLists.txt").read_text()
        expect("include($ENV{IDF_PATH}/tools/cmake/project.cmake)" in lists, f"{example}: no project")
        [named] = re.findall(r'set\(EXTRA_COMPONENT_DIRS "\$\{CMAKE_CURRENT_LIST_DIR\}/(.*)"\)', lists)
        expect((example / named).resolve() == folder.resolve(), f"{example}: its component is elsewhere")


def cmsis_pack(folder):
    """What PACK.xsd and packchk of Open-CMSIS-Pack ask for."""
    [pdsc] = folder.glob("*.pdsc")
    package = xml.parse(pdsc).getroot()
    expect(package.tag == "package" and package.get("schemaVersion"), "no package with a schemaVersion")
    order = ["vendor", "name", "description", "url", "license", "releases", "conditions", "components", "examples"]
    expect([child.tag for child in package] == order, f"elements: {[child.tag for child in package]}")
    vendor, name = package.findtext("vendor"), package.findtext("name")
    expect(pdsc.name == f"{vendor}.{name}.pdsc", f"{pdsc.name}: is {vendor}.{name}")
    expect(re.fullmatch(r"[\-_A-Za-z0-9]+", name), f"name: {name}")
    expect((folder / package.findtext("license")).is_file(), "license")
    for release in package.iter("release"):
        expect(re.fullmatch(SEMANTIC_VERSION, release.get("version")), "release")
    conditions = {c.get("id") for c in package.iter("condition")}
    used = {e.get("condition") for e in package.iter() if e.get("condition")}
    expect(used <= conditions, f"conditions that are none: {used - conditions}")
    components = {(c.get("Cclass"), c.get("Cgroup"), c.get("Csub")) for c in package.iter("component") if c.get("Cversion")}
    expect(len(components) >= 2, "components")
    listed = set()
    for component in package.find("components"):
        for attribute in ("Cclass", "Cgroup", "Cversion"):
            expect(component.get(attribute), f"component: no {attribute}")
        expect(component.findtext("description"), "component: no description")
        for file in component.find("files"):
            path = folder / file.get("name")
            listed.add(path)
            expect(path.is_dir() if file.get("category") == "include" else path.is_file(), f"no {path}")
            expect(file.get("category") != "include" or file.get("name").endswith("/"), f"{path}: no / behind")
    for source in files_below(folder, ".cc"):
        expect(source in listed, f"{source}: is in no component")
    for wanted in package.iter("require"):
        if wanted.get("Cclass"):
            found = (wanted.get("Cclass"), wanted.get("Cgroup"), wanted.get("Csub"))
            expect(found in components, f"requires {found}")
    for example in package.iter("example"):
        load = folder / example.get("folder") / example.find("project/environment").get("load")
        solution = yaml.safe_load(load.read_text())["solution"]
        for kind in ("target-types", "build-types", "projects", "packs"):
            expect(solution.get(kind), f"{load}: no {kind}")
        for entry in solution["projects"]:
            project = yaml.safe_load((load.parent / entry["project"]).read_text())["project"]
            for group in project["groups"]:
                for file in group["files"]:
                    expect((load.parent / file["file"]).is_file(), f"{load.parent}: no {file['file']}")
            own = [c["component"].split("::")[1].split(":") for c in project["components"]
                   if c["component"].startswith(vendor + "::")]
            expect(own and all(tuple(c) in components for c in own), f"components: {own}")


CHECKS = {"arduino": arduino, "platformio": platformio, "zephyr": zephyr, "esp-idf": esp_idf, "cmsis-pack": cmsis_pack}
CHECKS[sys.argv[1]](pathlib.Path(sys.argv[2]))
if faults:
    sys.exit("\n".join(faults))
