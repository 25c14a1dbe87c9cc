/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TOOLS_SECCOMP_NUMBERS_H
#define CORDON_TOOLS_SECCOMP_NUMBERS_H

/*
 * Names that the headers of the build host may be too old for. The filters
 * must not depend on where they were compiled, so the numbers stand here; the
 * compiler objects where a header says otherwise.
 */
#define __NR_uretprobe		     335 /* Linux 6.11 */
#define __NR_uprobe		     336 /* 6.18 */
#define __NR_futex_waitv	     449 /* 5.16 */
#define __NR_set_mempolicy_home_node 450 /* 5.17 */
#define __NR_cachestat		     451 /* 6.5 */
#define __NR_fchmodat2		     452 /* 6.6 */
#define __NR_map_shadow_stack	     453 /* 6.6 */
#define __NR_futex_wake		     454 /* 6.7 */
#define __NR_futex_wait		     455 /* 6.7 */
#define __NR_futex_requeue	     456 /* 6.7 */
#define __NR_statmount		     457 /* 6.8 */
#define __NR_listmount		     458 /* 6.8 */
#define __NR_lsm_get_self_attr	     459 /* 6.8 */
#define __NR_lsm_set_self_attr	     460 /* 6.8 */
#define __NR_lsm_list_modules	     461 /* 6.8 */
#define __NR_mseal		     462 /* 6.10 */
#define __NR_setxattrat		     463 /* 6.13 */
#define __NR_getxattrat		     464 /* 6.13 */
#define __NR_listxattrat	     465 /* 6.13 */
#define __NR_removexattrat	     466 /* 6.13 */
#define __NR_open_tree_attr	     467 /* 6.15 */
#define __NR_file_getattr	     468 /* 6.17 */
#define __NR_file_setattr	     469 /* 6.17 */
#define __NR_listns		     470 /* 6.19 */

#endif
