# SPDX-License-Identifier: Apache-2.0
"""What it costs to have every open decided and told: bench/run --only opens.

Bare, in a box, with --explain and with filesystem.strict, alternately in one
run: an open/close loop, opens that fail, and a build.
"""
import json


class Opens:
    def __init__(self, bench):
        self.bench = bench
        self.strict = bench.base / "strict.yaml"

    def ways(self, command):
        box = self.bench.box
        return {"bare": command, "box": box(*command),
                "--explain": box(*command, opts=["--explain"]),
                "strict": box(*command, opts=["-s", self.strict])}

    def show(self, got, each=None):
        for name, v in got.items():
            self.bench.show(name, v, got["bare"])
            if each:
                print(f"  {'':34} {v[0] / each:9.2f} us each")

    def run(self):
        self.strict.write_text(json.dumps({"filesystem": {
            "strict": True, "deny_read": ["**/*.pem", "**/.env*"]}}))
        self.loop()
        self.build()

    def loop(self):
        bench, n = self.bench, 20_000
        bench.section(f"open loop, {n} times, every open decided")
        where = bench.work / "opens"
        where.mkdir()
        bench.give()
        got = bench.compare(3 if bench.args.quick else 9, self.ways(
            [bench.loop, "open", n, where]))
        self.show(got, n)
        for name in "--explain", "strict":
            bench.goal(f"open/close with {name}, more than in a box",
                       (got[name][0] - got["box"][0]) / n, 12, "us")

    def build(self):
        bench = self.bench
        bench.section("build of 20 C files (make -j2), every open decided")
        src = bench.work / "opened"
        src.mkdir()
        for i in range(20):
            (src / f"f{i}.c").write_text(
                "#include <stdio.h>\n#include <stdlib.h>\n"
                + "".join(f"int f{i}_{j}(int a) {{ return printf(\"%d\", a) + {j}; }}\n"
                          for j in range(40)))
        (src / "Makefile").write_text(
            "all: lib.a\nlib.a: $(patsubst %.c,%.o,$(wildcard *.c))\n"
            "\tar rcs $@ $^\n%.o: %.c\n\tgcc -O1 -c -o $@ $<\n")
        bench.give()
        got = bench.compare(3 if bench.args.quick else 9, self.ways(
            ["make", "-s", "-B", "-j2", "-C", str(src)]))
        self.show(got)
        for name in "--explain", "strict":
            bench.goal(f"build with {name}, of bare",
                       got[name][0] / got["bare"][0], 1.6)
