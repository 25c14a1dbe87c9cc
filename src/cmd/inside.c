/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/inside.c - the policy of the box that this process is in
 *
 * Runs in:  a process inside a box, with the command's rights.
 * Trusts:   the summary, if it lies where nothing inside can write.
 * Must not: answer by a file that the command has made.
 */
#include "cmd/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "cmd/prepare.h"

static int check_file(int fd, struct err *err)
{
	struct statvfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || fstatvfs(fd, &fs) < 0)
		return err_sys(err, "look at '%s'", PLAN_SUMMARY_FILE);
	if (!S_ISREG(st.st_mode) || !(fs.f_flag & ST_RDONLY))
		return err_set(err, ERR_HOST,
			       "'%s' is not the one that cordon made: it could "
			       "be written, so nothing is answered by it",
			       PLAN_SUMMARY_FILE);
	return 0;
}

static int load_summary(struct arena *arena, char **out, struct err *err)
{
	AUTO_CLOSE int fd =
		open(PLAN_SUMMARY_FILE,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_HOST,
			       "this is the inside of a box, but '%s', by "
			       "which it would be answered, is missing; ask "
			       "outside",
			       PLAN_SUMMARY_FILE);
	if (fd < 0)
		return err_sys(err, "open '%s'", PLAN_SUMMARY_FILE);
	if (check_file(fd, err) < 0)
		return -1;
	return fd_read_file(arena, fd, PLAN_SUMMARY_FILE, PLAN_SUMMARY_MAX, out,
			    err);
}

int inside_prepare(struct arena *arena, const struct policy_args *args,
		   struct prepared *out, struct err *err)
{
	char *text;

	if (args->profiles.n || args->settings || args->keys.n)
		return err_set(err, ERR_USAGE,
			       "this is the inside of a box, whose policy is "
			       "what it is: options that change the policy "
			       "count outside only");
	if (host_context_read(arena, args->workdir, &out->context, err) < 0 ||
	    load_summary(arena, &text, err) < 0)
		return -1;
	if (plan_summary_read(arena, text, &out->policy.policy, &out->plan,
			      &out->cut, err) < 0)
		return err_wrap(err, "'%s'", PLAN_SUMMARY_FILE);
	out->inside = true;
	log_info("inside a box: answered from its policy, " PLAN_SUMMARY_FILE);
	return 0;
}

int inside_check_whole(const struct prepared *prepared, const char *part,
		       struct err *err)
{
	const struct plan_summary_cut *cut = &prepared->cut;

	if ((!strcmp(part, "files") && cut->files) ||
	    (!strcmp(part, "network") && cut->network) ||
	    (!strcmp(part, "exec") && cut->exec))
		return err_set(err, ERR_HOST,
			       "this box has more rules about %s than '%s' "
			       "holds, so nothing can be said for sure; ask "
			       "outside",
			       part, PLAN_SUMMARY_FILE);
	return 0;
}
