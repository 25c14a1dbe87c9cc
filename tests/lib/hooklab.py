# SPDX-License-Identifier: Apache-2.0
"""Agents as a test plays them: the calls that they write, and what they make
of the answers."""
import json

AGENTS = ["claude", "codex", "cursor", "opencode", "hermes", "windsurf"]
REWRITES = ["claude", "cursor", "opencode"]     # always
MAY_REWRITE = ["codex", "hermes"]               # with --wrap
SHELL = {"claude": "Bash", "codex": "Bash", "cursor": "Shell",
         "opencode": "bash", "hermes": "terminal"}
DEFAULT = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "opencode": ".config/opencode/plugins/cordon.js",
    "hermes": ".hermes/config.yaml",
    "windsurf": ".codeium/windsurf/hooks.json",
}


def payload(lab, agent, tool, tool_input, cwd=None):
    """A call as the agent writes it."""
    cwd = str(cwd or lab.work)
    if agent == "windsurf":
        return {"agent_action_name": tool, "trajectory_id": "t",
                "tool_info": {**tool_input, **(
                    {"cwd": cwd} if tool == "pre_run_command" else {})}}
    if agent == "opencode":
        return {"tool": tool, "args": tool_input, "cwd": cwd}
    event = {"claude": "PreToolUse", "codex": "PreToolUse",
             "cursor": "preToolUse", "hermes": "pre_tool_call"}[agent]
    return {"session_id": "s", "hook_event_name": event, "tool_name": tool,
            "tool_input": tool_input, "cwd": cwd}


def shell(lab, agent, command, cwd=None, **more):
    if agent == "windsurf":
        return payload(lab, agent, "pre_run_command",
                       {"command_line": command, **more}, cwd)
    return payload(lab, agent, SHELL[agent], {"command": command, **more}, cwd)


class Answer:
    """What an agent would make of the hook's answer."""

    def __init__(self, agent, r):
        self.r, self.input, self.reason = r, None, None
        self.denied = r.code == 2
        if self.denied:
            self.reason = r.err
            return
        assert r.code == 0, r
        out = json.loads(r.out) if r.out.strip() else {}
        if agent in ("claude", "codex"):
            out = out.get("hookSpecificOutput", {})
            assert not out or out["hookEventName"] == "PreToolUse"
            decision = out.get("permissionDecision")
            self.denied = decision == "deny"
            self.reason = out.get("permissionDecisionReason")
            self.input = out.get("updatedInput")
            # Codex fails open on a bare "allow".
            assert (decision == "allow") == (self.input is not None), r
        elif agent == "cursor":
            self.denied = out.get("permission") == "deny"
            self.reason = out.get("user_message")
            assert self.reason == out.get("agent_message")
            self.input = out.get("updated_input")
        elif agent == "hermes":
            self.denied = out.get("action") == "block"
            self.reason = out.get("message")
            self.input = out.get("args")
            assert out.get("action") in (None, "block", "modify"), r
        elif agent == "opencode":
            self.denied = out.get("decision") == "deny"
            self.reason = out.get("reason")
            if out.get("decision") == "wrap":
                self.input = {"command": out["command"]}
        else:
            assert r.out == "", r

    @property
    def passed(self):
        return not self.denied and self.input is None


def ask(lab, agent, call, *opts, **kw):
    if not isinstance(call, str):
        call = json.dumps(call)
    return Answer(agent, lab.cli("hook", agent, *opts, input=call, **kw))


def wrapped(lab, command, *opts):
    """The one form of a wrapped command."""
    return " ".join([f"'{lab.cordon}'", "run", *opts, "-c",
                     "'" + command.replace("'", "'\\''") + "'"])
