/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/layer.c - directories whose changes go elsewhere
 *
 * Runs in:  box init, with the capabilities of its own user namespace.
 * Trusts:   the plan for where a layer lies. Not what is in it: an earlier box
 *           may have written it.
 * Must not: let attributes in a layer lead anywhere: no redirects are followed
 *           and no file's content is looked for under another name (OV-02).
 *
 * overlayfs gets its directories as /proc/self/fd/N: nothing in a path has to
 * be escaped, what was opened is what is used, and the table of mounts in the
 * box does not say where the layer lies.
 */
#include "enforce/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/tree.h"
#include "plan/plan.h"

enum { NAME_SIZE = 32, ANSWER_SIZE = 256 };

static void fd_name(int fd, char out[NAME_SIZE])
{
	(void)snprintf(out, NAME_SIZE, "/proc/self/fd/%d", fd);
}

static int open_part(const char *path, struct err *err)
{
	int fd = tree_open_at(-1, path);

	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	return fd;
}

static int explain(const struct plan_layer *layer, const char *answer,
		   struct err *err)
{
	if (errno == EPERM || errno == ENODEV)
		return err_set(err, ERR_HOST,
			       "a layer over '%s': this kernel mounts no "
			       "overlayfs for ordinary users (%s); Linux 5.11 "
			       "or later with overlayfs is needed",
			       layer->path, strerror(errno));
	return err_set(err, ERR_SYS,
		       "a layer over '%s': %s%s%s; it has to lie on a local "
		       "file system that takes extended attributes: '%s'",
		       layer->path, strerror(errno), *answer ? ": " : "",
		       answer, layer->upper);
}

int layer_open(int lower, const struct plan_layer *layer, uint64_t attributes,
	       struct err *err)
{
	AUTO_CLOSE int upper = open_part(layer->upper, err);
	AUTO_CLOSE int work = upper < 0 ? -1 : open_part(layer->work, err);
	char names[3][NAME_SIZE], answer[ANSWER_SIZE] = "";
	/* Its attributes are the user's own (userxattr), so they could have
	 * been set by anybody: those that lead elsewhere are not used. */
	const char *const options[] = {
		"source",
		"layer",
		"lowerdir",
		names[0],
		"upperdir",
		names[1],
		"workdir",
		names[2],
		"userxattr",
		NULL,
		"metacopy",
		"off",
		"index",
		"off",
		"xino",
		"off",
		"redirect_dir",
		"nofollow",
		layer->transient ? "volatile" : NULL,
		NULL,
		NULL,
	};
	int mount;

	if (upper < 0 || work < 0)
		return -1;
	fd_name(lower, names[0]);
	fd_name(upper, names[1]);
	fd_name(work, names[2]);
	mount = tree_new_told("overlay", options, attributes, answer,
			      sizeof(answer));
	return mount < 0 ? explain(layer, answer, err) : mount;
}

/*
 * The directory stays in memory, and with it its number, as a mount lies on
 * it: it is the root of the layer or a pin. When it is copied into the layer
 * later the number does not change.
 */
static int look(const char *path, struct facts_id *out, struct err *err)
{
	AUTO_CLOSE int fd = tree_open_at(-1, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, "look at '%s' in its layer", path);
	*out = (struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

int layer_settle(const struct plan *plan, struct err *err)
{
	const char *last = NULL;
	struct facts_id id = { 0 };

	/* Many names hang in one directory. This process has a copy of the
	 * plan to itself, and nothing has read the numbers yet. */
	for (size_t i = 0; i < plan->absents.n; i++) {
		struct plan_absent *absent = &plan->absents.v[i];

		if (!absent->layered)
			continue;
		if ((!last || strcmp(last, absent->layered) != 0) &&
		    look(absent->layered, &id, err) < 0)
			return -1;
		last = absent->layered;
		absent->parent = id;
	}
	return 0;
}
