import type { Edit, Insertion } from '#wire/text/apply-edits.ts'

/** Tools of providers that have none of these kinds are never sent. */
export const toolKinds = [
  'webSearch',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'imageGeneration',
  'mcp',
  'toolSearch',
] as const
export type ToolKind = (typeof toolKinds)[number]

export interface RunTools<Dropped> {
  /** Has at least one kind. */
  readonly kinds: readonly ToolKind[]
  /** Whether all tools together have one limit of uses. If false, each tool has its own limit. */
  readonly isShared: boolean
  /** Positions of the limits in the body. Empty if the uses of the tools cost nothing. */
  readonly limits: readonly UseLimit[]
  /** A fault if the request cannot be sent without the tools that the provider runs. */
  readonly dropped: Dropped
}

export interface UseLimit {
  /** Null if the limit applies to all tools of the request together. */
  readonly kind: ToolKind | null
  /** The application's maximum. Absent if the application sets none. */
  readonly most?: number
  /** The client's maximum; null if the client sets no maximum. */
  readonly asked: number | null
  /**
   * Position of the client's limit, or the position at which a limit is inserted. Null if the wire has no field for a
   * limit of uses.
   */
  readonly place: { readonly span: { readonly start: number; readonly end: number } } | Insertion | null
}

/**
 * A lower limit of the client is kept.
 * @param held number of uses that the hold covers
 */
export function limitEdits({ limits }: Pick<RunTools<unknown>, 'limits'>, held: number): readonly Edit[] {
  return limits.flatMap(({ asked, most, place }): Edit[] => {
    const usesMax = Math.min(held, most ?? held)
    if (place === null || (asked !== null && asked <= usesMax)) return []
    if ('span' in place) return [{ ...place.span, text: String(usesMax) }]
    const { after, at, before } = place
    return [{ start: at, end: at, text: before + usesMax + after }]
  })
}
