/**
 * The labels of a call are its tags, and the team of its end user as `team/<ID of the payer>`. No tag contains a slash.
 * The column `tags` of an ended call and the column `bound` of a call in flight store all labels as JSON. `tag_hours`
 * stores the sums for each label.
 */
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'

export type LabelKind = 'tag' | 'team'

interface Labels {
  readonly tags: readonly string[]
  /** Null if the end user was in no team. */
  readonly payerId: string | null
}

const teamPrefix = 'team/'

/** @param name the slug of a tag, or the ID of the payer of a team */
export function labelOf(kind: LabelKind, name: string): string {
  return kind === 'team' ? teamPrefix + name : name
}

/**
 * Returns the label of the sum over all calls with any label of the kind. Each call counts once in this sum. The name
 * in this label is empty, unlike the name of any tag or team.
 */
export function anyOf(kind: LabelKind): string {
  return labelOf(kind, '')
}

/** Returns the labels of all sums that include a call with these labels. */
export function withAny(labels: readonly string[]): readonly string[] {
  if (labels.length === 0) return labels
  return [...new Set(labels.map((label) => anyOf(kindOf(label)))), ...labels]
}

export function kindOf(label: string): LabelKind {
  return label.startsWith(teamPrefix) ? 'team' : 'tag'
}

/** Empty for a label of `anyOf`. Otherwise, the slug of a tag, or the ID of a team's payer. */
export function nameOf(label: string): string {
  return kindOf(label) === 'team' ? label.slice(teamPrefix.length) : label
}

export function isLabelKind(name: string | null): name is LabelKind {
  return name === 'tag' || name === 'team'
}

/** Returns the label that a filter selects. Null means all calls. At most one of both is set. */
export function labelAsked({
  payerId,
  tag,
}: {
  readonly payerId: string | null
  readonly tag: string | null
}): string | null {
  return payerId === null ? tag : labelOf('team', payerId)
}

export function namesOf(kind: LabelKind, labels: readonly string[]): string[] {
  return labels.filter((label) => kindOf(label) === kind).map(nameOf)
}

export function labelsIn({
  payerId = null,
  tags = null,
}: {
  readonly tags?: readonly string[] | null
  readonly payerId?: string | null
}): readonly string[] {
  if (payerId === null) return tags ?? noLabels
  return [...(tags ?? noLabels), labelOf('team', payerId)]
}

const noLabels: readonly string[] = []

export function tagsAndTeam(labels: readonly string[]): Labels {
  return { tags: namesOf('tag', labels), payerId: namesOf('team', labels)[0] ?? null }
}

/** SQL condition on a list of labels as JSON text. A label has no character that JSON escapes. */
export function hasLabel(query: Query, text: RawBuilder<unknown>, label: string): RawBuilder<SqlBool> {
  const quoted = JSON.stringify(label)
  return isPostgres(query)
    ? sql<SqlBool>`strpos(${text}, ${quoted}) > 0`
    : sql<SqlBool>`instr(${text}, ${quoted}) > 0`
}

export function isOfKind(kind: LabelKind): RawBuilder<SqlBool> {
  const test = sql.raw(kind === 'team' ? '=' : '<>')
  return sql<SqlBool>`substr(tag, 1, ${sql.lit(teamPrefix.length)}) ${test} ${teamPrefix}`
}
