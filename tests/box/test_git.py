# SPDX-License-Identifier: Apache-2.0
"""git works in a repository and a linked worktree; its code does not change."""
import pytest

WORK = ("echo new > file && git status --short && git add file && "
        "git commit -q -m second && git log --oneline | wc -l")


@pytest.fixture
def repository(lab):
    lab.repository()
    return lab


def test_status_add_commit_in_a_repository(repository):
    lab = repository
    r = lab.sh(WORK)
    assert r.ok and r.lines == ["?? file", "2"], r
    assert "second" in lab.git("log", "-1", "--format=%s").out


def test_branches_stash_merge_and_gc(repository):
    lab = repository
    r = lab.sh("""set -e
echo a > a; git add a; git commit -q -m a
git checkout -q -b topic; echo b > b; git add b; git commit -q -m b
git checkout -q main; git merge -q --no-ff -m merge topic
echo c >> a; git stash -q; git stash pop -q; git checkout -q a
git tag v1; git branch -d topic >/dev/null; git repack -q -a -d; git gc -q
git fsck --no-progress 2>&1 | grep -c -i error || true
git log --oneline | wc -l""")
    assert r.ok and r.lines[-1] == "4", r


def test_linked_worktree(lab):
    lab.repository(lab.base / "main")
    tree = lab.base / "linked"
    assert lab.git("worktree", "add", "-q", "-b", "side", tree,
                   cwd=lab.base / "main").ok
    r = lab.sh(WORK, cwd=tree)
    assert r.ok and r.lines == ["?? file", "2"], r
    r = lab.sh('cd "$(git rev-parse --git-common-dir)" && '
               "echo evil > hooks/pre-commit; echo '[core]' >> config; "
               "echo evil > ../planted", cwd=tree)
    main = lab.base / "main"
    assert not (main / ".git/hooks/pre-commit").exists()
    assert "[core]" in (main / ".git/config").read_text()
    assert (main / ".git/config").read_text().count("[core]") == 1
    assert not (main / "planted").exists(), r


PROTECTED = ["hooks/pre-commit", "config", "config.worktree",
             "info/attributes", "commondir", "objects/info/alternates",
             "modules/x/config"]


@pytest.mark.parametrize("name", PROTECTED)
def test_T_022_code_of_the_repository_is_protected(repository, name):
    lab = repository
    f = lab.work / ".git" / name
    act = 'mkdir -p "$(dirname "$1")"; echo evil >> "$1"'
    old = f.read_text() if f.exists() else None
    r = lab.sh(act, f)
    assert (f.read_text() if f.exists() else None) == old, r
    assert lab.host("sh", "-c", act, "sh", f).ok                # control
    assert "evil" in f.read_text()


def test_T_022_existing_hook_cannot_be_changed_or_removed(repository):
    lab = repository
    hook = lab.file("work/.git/hooks/pre-push", "#!/bin/sh\n", 0o755)
    for act in ("echo evil >> .git/hooks/pre-push", "rm .git/hooks/pre-push",
                "mv .git/hooks .git/h2", "mv .git .g2", "rm -rf .git/hooks",
                "git config core.hooksPath /tmp", "git config user.name evil"):
        lab.sh(act)
        assert hook.read_text() == "#!/bin/sh\n", act
    assert "evil" not in (lab.work / ".git/config").read_text()


def test_T_022_git_open_lets_it(repository):
    lab = repository
    p = lab.policy(filesystem={"git": "open"})
    r = lab.sh("git config user.name other && echo x > .git/hooks/post-commit",
               policy=p)
    assert r.ok and "other" in (lab.work / ".git/config").read_text(), r


def test_git_readonly_keeps_the_whole_of_it(repository):
    lab = repository
    p = lab.policy(filesystem={"git": "readonly"})
    before = lab.tree(lab.work / ".git")
    r = lab.sh("git log --oneline; git status --short; "
               "echo f > f; git add f; git commit -m x", policy=p)
    assert "first" in r.out, r
    assert lab.tree(lab.work / ".git") == before
    assert (lab.work / "f").exists()


def test_from_a_subdirectory(repository):
    lab = repository
    (lab.work / "sub").mkdir()
    r = lab.sh("git status --short && git log --oneline && "
               "echo evil > ../.git/hooks/x", cwd=lab.work / "sub")
    assert "first" in r.out, r
    assert not (lab.work / ".git/hooks/x").exists()


def test_planted_repository_is_reported(repository):
    lab = repository
    r = lab.sh("git init -q planted")
    if (lab.work / "planted/.git/config").exists():
        assert "planted" in r.err, r
    r = lab.sh("true")
    assert "planted" not in r.err, r            # only what this run made


def test_a_git_link_in_the_workspace_is_refused(lab):
    """What it leads to may have been planted, and holds hooks."""
    lab.repository()
    lab.starts()
    (lab.work / ".git").rename(lab.work / "real")
    (lab.work / ".git").symlink_to("real")
    lab.refuses(".git", "symbolic link")
    lab.starts(opts=["--git", "open"])


def test_a_git_directory_beside_the_files_keeps_its_hooks(lab):
    r = lab.git("init", "-q", "--separate-git-dir", lab.work / "data", ".")
    assert r.ok, r
    act = "echo x > data/hooks/pre-commit; git config a.b c; ls data/hooks"
    r = lab.sh(act)
    assert "pre-commit\n" not in r.out, r
    assert "a.b" not in lab.git("config", "--list").out
    r = lab.sh(act, opts=["--git", "open"])
    assert "pre-commit\n" in r.out, r
