/**
 * The package matches IDs loosely: `claude-sonnet-5-5` matches `starts_with claude-sonnet-5`, and would get the price
 * of another model. Only IDs that the package spells out are therefore used. These are the entry's own ID, IDs in
 * `equals`, and an ID with a date if a regular expression matches exactly this form.
 */
import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices'
import type { DateSuffix } from '#domain/prices/published-price-look-up.ts'

export interface ModelIds {
  readonly ids: readonly string[]
  /** Maps an ID to the form in which a date may follow it after a hyphen. */
  readonly dated: ReadonlyMap<string, DateSuffix>
}

/** @param models all models of one provider; an ID belongs to the first model that matches it, as in the package */
export function modelIds(model: ModelInfo, models: readonly ModelInfo[]): ModelIds {
  const { equals, dated } = spelledOut(model.match)
  const ids = [...new Set([model.id, ...equals, ...dated.keys()])].filter(
    (id) => models.find((other) => isMatch(other.match, id)) === model,
  )
  return { ids, dated: new Map([...dated].filter(([id]) => ids.includes(id))) }
}

/** Case-insensitive like the package, except for regular expressions. */
export function isMatch(match: MatchLogic, id: string): boolean {
  const lower = id.toLowerCase()
  if ('or' in match) return match.or.some((part) => isMatch(part, id))
  if ('and' in match) return match.and.every((part) => isMatch(part, id))
  if ('equals' in match) return lower === match.equals.toLowerCase()
  if ('starts_with' in match) return lower.startsWith(match.starts_with.toLowerCase())
  if ('ends_with' in match) return lower.endsWith(match.ends_with.toLowerCase())
  if ('contains' in match) return lower.includes(match.contains.toLowerCase())
  return new RegExp(match.regex).test(id)
}

/** IDs inside `and` are not returned. */
function spelledOut(match: MatchLogic): { equals: string[]; dated: Map<string, DateSuffix> } {
  if ('equals' in match) return { equals: [match.equals], dated: new Map() }
  if ('regex' in match) {
    const dated = datedId(match.regex)
    return { equals: [], dated: new Map(dated === null ? [] : [dated]) }
  }
  if (!('or' in match)) return { equals: [], dated: new Map() }
  const parts = match.or.map(spelledOut)
  return {
    equals: parts.flatMap((part) => part.equals),
    dated: new Map(parts.flatMap((part) => [...part.dated])),
  }
}

/**
 * Splits `^<id>-\d{8}$` or `^<id>-\d{4}-\d{2}-\d{2}$` into the ID and the form of the date. Null for any other
 * expression, and if the ID contains a pattern other than an escaped dot.
 */
function datedId(regex: string): [string, DateSuffix] | null {
  const parts = /^\^((?:[a-zA-Z0-9/:_-]|\\\.)+)-(\\d\{8\}|\\d\{4\}-\\d\{2\}-\\d\{2\})\$$/.exec(regex)
  if (parts === null) return null
  const [, id = '', date = ''] = parts
  return [id.replaceAll('\\.', '.'), date === '\\d{8}' ? 'YYYYMMDD' : 'YYYY-MM-DD']
}
