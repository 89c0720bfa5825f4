// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of audit.list: list changes. */
export interface AuditListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Changes of this application only. */
  application?: string | undefined
  /** Changes by this token or member only. 1 to 64 characters. */
  actorId?: string | undefined
  /** Changes by this operation only. 1 to 64 characters. */
  operation?: string | undefined
  /** Changes from this time on. ISO 8601. */
  from?: string | Date | undefined
  /** Changes before this time. ISO 8601. */
  to?: string | Date | undefined
}

/** What audit.list answers. */
export interface AuditListOutput {
  data: types.AuditEntry[]
  nextCursor: string | null
}

/** Who changed what. */
export class Audit {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List changes. Every change that was made through the control plane: by whom, and what it changed.
   * Newest first. Refused requests changed nothing and are not listed; calls of models are in
   * requests.list. Failed sign-ins of members are listed too: one entry for each account, network and hour,
   * whose `after` counts them (`failures`, `site`, `firstAt`, `lastAt`). Beyond five networks an hour,
   * failures are counted in one entry for all other networks.
   *
   * GET /v1/audit (an extension)
   * @throws ApiError not_found
   */
  list(input?: AuditListInput, options?: CallOptions): PageCall<types.AuditEntry, AuditListOutput> {
    return this.#sender.page(
      { id: 'audit.list', method: 'GET', path: '/v1/audit', query: ['limit', 'cursor', 'application', 'actorId', 'operation', 'from', 'to'] },
      input,
      options,
    )
  }
}
