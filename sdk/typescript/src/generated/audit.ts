// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of audit.list: list audit log entries. */
export interface AuditListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Only changes of this application. */
  application?: string | undefined
  /** Only changes by this token or member. 1 to 64 characters. */
  actorId?: string | undefined
  /** Only changes by this operation. 1 to 64 characters. */
  operation?: string | undefined
  /** Only changes at or after this time. ISO 8601. */
  from?: string | Date | undefined
  /** Only changes before this time. ISO 8601. */
  to?: string | Date | undefined
}

/** What audit.list answers. */
export interface AuditListOutput {
  data: types.AuditEntry[]
  nextCursor: string | null
}

/** Changes, and who made them. */
export class Audit {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List audit log entries. Returns the changes made through the control plane, newest first, with their
   * callers.
   *
   * - Rejected requests change nothing and are not listed. Gateway requests are in `requests.list`.
   * - Failed sign-ins of members are listed, with one entry for each account, network and hour. `after`
   * counts them (`failures`, `site`, `firstAt`, `lastAt`). Beyond five networks an hour, one entry counts
   * the failures from all other networks.
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
