export interface Organization {
  readonly id: string
  /** The part `<code>` in the organization's tokens (`sk_<code>_…`). */
  readonly code: string
  readonly name: string
  readonly createdAtMs: number
}
