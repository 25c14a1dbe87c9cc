/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/exec.c - may this be executed?
 *
 * Runs in:  the guard.
 * Trusts:   the plan; of the caller nothing.
 * Must not: be taken for a wall. Nobody can execute for another, so a call
 *           that is not refused goes on in the caller, and the kernel reads
 *           path and arguments again: another thread can have changed them.
 *           What must hold is held by masks and by mounts without execution.
 *
 * What is judged is the file that would be executed, under each name it has,
 * with the arguments; where it is a script also its interpreter with the
 * arguments that the kernel would give it. Whatever cannot be read is refused.
 */
#include "guard/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/content.h"
#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "guard/strict.h"
#include "plan/plan.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8U /* Linux 6.3 */
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

enum {
	ARGS_MAX = 256, /* more are not looked at: refused if that matters */
	TEXT_MAX = 32 * 1024, /* of all of them */
	SCRIPTS_MAX = 5, /* an interpreter may be a script; as the kernel */
	SHEBANG_MAX = 256, /* as the kernel reads it */
};

/* One execution, while it is judged. */
struct exec_room {
	const char **names; /* two of the file, and all programs of the plan */
	size_t names_n;
	const char *argv[ARGS_MAX + 2 * SCRIPTS_MAX];
	size_t argc;
	bool cut;
	char *text; /* TEXT_MAX bytes that argv points into */
	size_t used;
	char path[PATH_MAX]; /* as the caller wrote it */
	char real[PATH_MAX];
	char shebangs[SCRIPTS_MAX][SHEBANG_MAX + 1];
	char interpreters[SCRIPTS_MAX][PATH_MAX];
	uint64_t pointers[ARGS_MAX];
	struct content_cache contents;
};

int exec_init(struct guard *guard)
{
	if (!guard->plan->exec.judged)
		return 0;
	guard->exec = calloc(1, sizeof(*guard->exec));
	if (!guard->exec)
		return -1;
	guard->exec->text = malloc(TEXT_MAX);
	guard->exec->names = calloc(2 + guard->plan->exec.programs.n,
				    sizeof(*guard->exec->names));
	return guard->exec->text && guard->exec->names ? 0 : -1;
}

void exec_done(struct guard *guard)
{
	if (!guard->exec)
		return;
	free(guard->exec->text);
	free(guard->exec->names);
	free(guard->exec);
	guard->exec = NULL;
}

static void name_add(struct exec_room *room, const char *name)
{
	for (size_t i = 0; i < room->names_n; i++) {
		if (!strcmp(room->names[i], name))
			return;
	}
	room->names[room->names_n++] = name;
}

/* How many pointers there are up to the NULL; *@cut if it is farther. */
static int read_pointers(const struct call *call, struct exec_room *room,
			 uint64_t addr)
{
	enum { AT_ONCE = 16 };
	size_t n = 0;

	while (n < ARGS_MAX) {
		/* Not beyond what is there: the array may end a page. */
		size_t in_page = (4096 - ((addr + n * 8) & 4095)) / 8;
		size_t want = in_page < AT_ONCE ? in_page : AT_ONCE;
		int failed;

		if (!want)
			want = 1;
		if (want > ARGS_MAX - n)
			want = ARGS_MAX - n;
		failed = caller_read(&call->caller, addr + n * 8,
				     room->pointers + n, want * 8);
		if (failed)
			return failed;
		for (; want--; n++) {
			if (!room->pointers[n])
				return (int)n;
		}
	}
	room->cut = true;
	return ARGS_MAX;
}

static int read_argv(const struct call *call, struct exec_room *room,
		     uint64_t addr)
{
	/* NULL is an empty list for the kernel. */
	int n = addr ? read_pointers(call, room, addr) : 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		char *at = room->text + room->used;
		size_t left = TEXT_MAX - room->used;
		ssize_t len = caller_read_string(&call->caller,
						 room->pointers[i], at, left);

		if (len == -ENAMETOOLONG) {
			room->cut = true;
			return 0;
		}
		if (len < 0)
			return (int)len;
		room->argv[room->argc++] = at;
		room->used += (size_t)len + 1;
	}
	return 0;
}

/* O_PATH of the file that the call names; its path in room->path. */
static int open_file(const struct call *call, struct exec_room *room)
{
	AUTO_PLACE place = { .dir = -1 };
	AUTO_CLOSE int base = -1;
	int flags = (int)call->args[4];
	int failed = caller_read_path(&call->caller, call->args[1], room->path);

	if (failed)
		return failed;
	if (!room->path[0] && flags & AT_EMPTY_PATH)
		return caller_open_fd(&call->caller, (int)call->args[0]);
	(void)strcpy(place.text, room->path);
	if (room->path[0] != '/') {
		base = caller_open_dir(&call->caller, (int)call->args[0]);
		if (base < 0)
			return base;
	}
	failed = place_find_from(call, base < 0 ? call->guard->root : base,
				 &place);
	if (failed)
		return failed;
	if (!(flags & AT_SYMLINK_NOFOLLOW))
		return place_open(call, &place);
	failed = openat(place.dir, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return failed < 0 ? -errno : failed;
}

/* The program whose mask lies at @path; NULL: none. */
static const struct plan_program *
find_masked(const struct plan_programs *programs, const char *path)
{
	for (size_t i = 0; i < programs->n; i++) {
		if (programs->v[i].masked && !strcmp(programs->v[i].path, path))
			return &programs->v[i];
	}
	return NULL;
}

static bool is_program(const struct plan_program *program, dev_t dev, ino_t ino)
{
	return program->id.dev == dev && program->id.ino == ino;
}

/* Its @path, its @real one, which is put there, and the programs of the rules
 * that it is, or is a copy of. A mask has another number than what it hides. */
static void find_names(const struct call *call, struct exec_room *room,
		       const char *path, int file, const struct stat *st,
		       char real[PATH_MAX])
{
	const struct plan_programs *programs =
		&call->guard->plan->exec.programs;
	const struct plan_program *hidden = NULL;

	room->names_n = 0;
	if (path[0])
		name_add(room, path);
	if (report_path(call, file, real, PATH_MAX)) {
		name_add(room, real);
		hidden = find_masked(programs, real);
	}
	for (size_t i = 0; i < programs->n; i++) {
		const struct plan_program *program = &programs->v[i];

		if (is_program(program, st->st_dev, st->st_ino) ||
		    (hidden &&
		     is_program(program, hidden->id.dev, hidden->id.ino)) ||
		    content_is_copy(call, &room->contents, file, st, program))
			name_add(room, program->path);
	}
}

/* 1: the first line of a script, without "#!"; 0: it is none; -1: nobody knows,
 * and yet the kernel would read it. */
static int read_shebang(const struct call *call, int file, char *out)
{
	AUTO_CLOSE int fd = -1;
	char name[16], line[SHEBANG_MAX + 1];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%d", file);
	fd = openat(call->guard->self_fd, name,
		    O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, line, SHEBANG_MAX, 0);
	if (n < 0)
		return -1;
	if (n < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	(void)strcpy(out, line + 2);
	return 1;
}

/* Words of the line as the kernel takes them: the interpreter, and all that
 * follows as one argument or NULL. */
static const char *split_shebang(char *line, const char **argument)
{
	char *start = line + strspn(line, " \t");
	char *end = start + strcspn(start, " \t");
	char *rest = end + strspn(end, " \t");
	size_t n = strlen(rest);

	while (n && (rest[n - 1] == ' ' || rest[n - 1] == '\t'))
		rest[--n] = '\0';
	*argument = *rest ? rest : NULL;
	*end = '\0';
	return start;
}

/* What the kernel makes of the arguments for the interpreter of @script. */
static void put_before(struct exec_room *room, const char *interpreter,
		       const char *argument, const char *script)
{
	const size_t n = argument ? 2 : 1;
	const size_t kept = room->argc ? room->argc - 1 : 0;

	memmove(room->argv + n + 1, room->argv + 1, kept * sizeof(*room->argv));
	room->argv[n] = script;
	room->argv[0] = interpreter;
	if (argument)
		room->argv[1] = argument;
	room->argc = n + 1 + kept;
}

static int open_interpreter(const struct call *call, const char *path)
{
	AUTO_CLOSE int base = -1;
	AUTO_PLACE place = { .dir = -1 };
	int failed;

	if (strlen(path) >= sizeof(place.text))
		return -ENAMETOOLONG;
	(void)strcpy(place.text, path);
	if (path[0] != '/') {
		base = caller_open_dir(&call->caller, AT_FDCWD);
		if (base < 0)
			return -ESRCH;
	}
	failed = place_find_from(call, base < 0 ? call->guard->root : base,
				 &place);
	return failed ? failed : place_open(call, &place);
}

/* Would the kernel not find it either? */
static bool is_nowhere(int failed)
{
	return failed == -ENOENT || failed == -ENOTDIR || failed == -EACCES ||
	       failed == -ELOOP || failed == -ENAMETOOLONG;
}

static void judge_names(const struct call *call, const struct exec_room *room,
			struct command_verdict *out)
{
	const struct command_seen seen = { .names = room->names,
					   .names_n = room->names_n,
					   .argv = room->argv,
					   .argc = room->argc,
					   .cut = room->cut };

	command_judge(&call->guard->plan->exec.rules, &seen, out);
}

/* What is executed is not known: the first that is denied may be it. */
static void doubt(const struct command_rules *rules,
		  struct command_verdict *out)
{
	for (size_t i = 0; i < rules->n && !out->denied; i++) {
		if (!rules->v[i].allow)
			*out = (struct command_verdict){ .denied = true,
							 .doubt = true,
							 .rule = &rules->v[i] };
	}
}

/* What the kernel executes in place of the script behind *@at, which it
 * becomes. 1; 0: nothing else; -1: that is not known. */
static int next_interpreter(const struct call *call, char *line, int *at,
			    const char **name, const char **argument)
{
	int next = read_shebang(call, *at, line);

	if (next <= 0)
		return next;
	*name = split_shebang(line, argument);
	next = open_interpreter(call, *name);
	if (is_nowhere(next))
		return 0;
	fd_close(at);
	*at = next;
	return next < 0 ? -1 : 1;
}

/* The file is a script, and so may be its interpreter. */
static void judge_scripts(const struct call *call, struct exec_room *room,
			  int file, struct command_verdict *out)
{
	const char *script = room->path[0] ? room->path : room->real;
	AUTO_CLOSE int at = fcntl(file, F_DUPFD_CLOEXEC, 0);

	for (size_t i = 0; i < SCRIPTS_MAX && !out->denied; i++) {
		const char *interpreter, *argument;
		struct stat st;
		int more = next_interpreter(call, room->shebangs[i], &at,
					    &interpreter, &argument);

		if (more > 0 && fstat(at, &st) < 0)
			more = -1;
		if (more < 0)
			doubt(&call->guard->plan->exec.rules, out);
		/* The kernel executes nothing but files. */
		if (more <= 0 || !S_ISREG(st.st_mode))
			return;
		put_before(room, interpreter, argument, script);
		find_names(call, room, interpreter, at, &st,
			   room->interpreters[i]);
		judge_names(call, room, out);
		script = interpreter;
	}
}

/* Path and arguments as struct frame_told has them. */
static void report_command(const struct call *call, struct exec_room *room,
			   struct report *report,
			   void (*tell)(const struct call *call,
					const struct report *report))
{
	char text[FRAME_TEXT_MAX];
	size_t n = 0;

	for (size_t i = 0; i <= room->argc; i++) {
		const char *word = i		   ? room->argv[i - 1]
				   : room->path[0] ? room->path
						   : room->real;
		size_t len = strlen(word) + 1;

		if (n + len > sizeof(text)) {
			report->cut = true;
			break;
		}
		memcpy(text + n, word, len);
		n += len;
	}
	report->text = text;
	report->n = n;
	report->cut |= room->cut;
	report->act = FRAME_EXEC;
	tell(call, report);
}

/* The kernel refuses it as well; so that it is told. */
static bool is_not_system(const struct call *call, int file)
{
	struct statvfs fs;

	return call->guard->plan->exec.only_system &&
	       fstatvfs(file, &fs) == 0 && fs.f_flag & ST_NOEXEC;
}

/* As a script; what is told is the command, not its interpreter. */
static void judge_as_script(const struct call *call, struct exec_room *room,
			    int file, struct command_verdict *out)
{
	const char *argv[ARGS_MAX];
	const size_t argc = room->argc;

	memcpy(argv, room->argv, argc * sizeof(*argv));
	judge_scripts(call, room, file, out);
	memcpy(room->argv, argv, argc * sizeof(*argv));
	room->argc = argc;
}

/* The kernel will refuse it: told where the plan wants to know why. */
static void explain_refusal(const struct call *call, struct exec_room *room,
			    int file)
{
	struct report told = { .by = FRAME_BY_RULE };
	char name[16];

	if (!call->guard->plan->explain)
		return;
	(void)snprintf(name, sizeof(name), "%d", file);
	if (faccessat(call->guard->self_fd, name, X_OK, 0) == 0 ||
	    errno != EACCES)
		return;
	report_command(call, room, &told, report_denied);
}

static int judge_file(const struct call *call, struct exec_room *room, int file)
{
	const struct command_rules *rules = &call->guard->plan->exec.rules;
	struct command_verdict verdict = { 0 };
	struct report told = { .by = FRAME_BY_EXEC };
	struct stat st;

	if (fstat(file, &st) < 0)
		return -EACCES;
	if (!S_ISREG(st.st_mode))
		return 0; /* the kernel has an error for each */
	find_names(call, room, room->path, file, &st, room->real);
	if (is_not_system(call, file)) {
		told.by = FRAME_BY_SYSTEM;
		report_command(call, room, &told, report_denied);
		return -EACCES;
	}
	if (strict_judge_object(call, file, false) < 0)
		return -EACCES;
	judge_names(call, room, &verdict);
	/* Without such a bit nobody can execute it, and a mask is not read. */
	if (!verdict.denied && rules->n && st.st_mode & 0111)
		judge_as_script(call, room, file, &verdict);
	if (!verdict.denied) {
		explain_refusal(call, room, file);
		return 0;
	}
	told.rule = verdict.rule ? (size_t)(verdict.rule - rules->v) : 0;
	told.doubt = verdict.doubt;
	report_command(call, room, &told, report_denied);
	return -EACCES;
}

int exec_judge(const struct call *call)
{
	struct exec_room *room = call->guard->exec;
	AUTO_CLOSE int file = -1;
	struct report used = { 0 };
	int failed;

	if (!room)
		return -EACCES;
	room->names_n = room->argc = room->used = 0;
	room->cut = false;
	room->real[0] = '\0';
	file = open_file(call, room);
	if (file < 0)
		return file;
	failed = read_argv(call, room, call->args[2]);
	/* What was read is the caller's only if it still waits. */
	if (!call_valid(call))
		return GUARD_ANSWERED;
	if (!failed)
		failed = judge_file(call, room, file);
	if (failed)
		return failed;
	if (call->guard->plan->learn)
		report_command(call, room, &used, report_used);
	call_continue(call);
	return GUARD_ANSWERED;
}

/* What the kernel says to flags that it does not know. */
static bool has_bad_flags(unsigned int flags)
{
	unsigned int known = MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB |
			     MFD_NOEXEC_SEAL | MFD_EXEC;

	if (flags & MFD_HUGETLB)
		known |= (unsigned int)MFD_HUGE_MASK << MFD_HUGE_SHIFT;
	return flags & ~known || (flags & MFD_EXEC && flags & MFD_NOEXEC_SEAL);
}

/* A directory of the box's own where nothing is mapped as code, or -1. */
static int open_noexec(const struct call *call)
{
	int dir = openat(call->guard->root, "dev/shm",
			 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	if (dir >= 0 && fstatfs(dir, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
	    fs.f_flags & ST_NOEXEC)
		return dir;
	fd_close(&dir);
	return -1;
}

/*
 * A memfd can be mapped as code, whatever its seals: a dynamic linker runs it.
 * A file without a name on a mount that is noexec cannot, and is the same kind
 * of file but for the seals.
 */
int exec_memfd(const struct call *call)
{
	char name[250]; /* what the kernel takes, with its NUL */
	unsigned int flags = (unsigned int)call->args[1];
	AUTO_CLOSE int dir = -1;
	ssize_t n;
	int fd;

	if (has_bad_flags(flags))
		return -EINVAL;
	n = caller_read_string(&call->caller, call->args[0], name,
			       sizeof(name));
	if (n < 0)
		return n == -ENAMETOOLONG ? -EINVAL : (int)n;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	dir = open_noexec(call);
	if (dir < 0 || flags & MFD_HUGETLB)
		return -EACCES;
	fd = openat(dir, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	return call_answer_fd(call, fd, flags & MFD_CLOEXEC ? O_CLOEXEC : 0);
}
