/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_ENVIRON_H
#define CORDON_BASE_ENVIRON_H

/* Wipes the variables of this process from its memory, for those who come to
 * read what strangers write: there are secrets among them. */
void environ_forget(void);

#endif
