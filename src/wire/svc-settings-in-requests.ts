import { tagsMax } from '#money/decision-types.ts'
import { after, inside, kindOf, kinds, stringAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { flagAt, isNull, refuse, textAt, type WireRequest } from './wire-request.ts'

/**
 * Reads `svc`, the settings for the gateway: the outcome run, the session, the tags, and whether to report the charge.
 */
export function svcAt(
  json: Json,
  svc: Node,
): Pick<WireRequest, 'outcome' | 'session' | 'tags' | 'wantsReport'> {
  if (svc < 0 || isNull(json, svc)) return nothingSaid
  if (kindOf(json, svc) !== kinds.object) refuse('invalid_request', 'svc', wrongSvc)
  const said: Record<string, string | undefined> = {}
  let wantsReport = false
  let tags: readonly string[] = []
  for (let key = inside(svc), end = after(json, svc); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name === 'report') {
      wantsReport = flagAt(json, 'svc.report', valueOf(key))
      continue
    }
    if (name === 'tags') {
      tags = tagsAt(json, valueOf(key))
      continue
    }
    if (name !== 'outcome' && name !== 'outcome_id' && name !== 'session')
      refuse(
        'invalid_request',
        `svc.${name}`,
        `Unknown field svc.${name}. svc accepts outcome, outcome_id, session, tags and report.`,
      )
    const text = textAt(json, valueOf(key)) ?? ''
    // Reject control characters and lone surrogates, because PostgreSQL accepts neither U+0000 nor lone surrogates,
    // even inside JSON.
    if (text.length < 1 || text.length > 200 || /\p{Cc}/u.test(text) || !text.isWellFormed())
      refuse('invalid_request', `svc.${name}`, wrongSvc)
    said[name] = text
  }
  const { outcome: slug, outcome_id: runId, session = null } = said
  if (slug === undefined && runId === undefined) return { outcome: null, session, tags, wantsReport }
  if (slug === undefined || runId === undefined) return refuse('invalid_request', 'svc', wrongSvc)
  return { outcome: { slug, runId }, session, tags, wantsReport }
}

/** A repeated tag counts once. The application decides which tags exist. */
function tagsAt(json: Json, list: Node): readonly string[] {
  if (isNull(json, list)) return []
  if (kindOf(json, list) !== kinds.array) refuse('invalid_request', 'svc.tags', wrongTags)
  const tags: string[] = []
  for (let item = inside(list), end = after(json, list); item < end; item = after(json, item)) {
    const tag = textAt(json, item) ?? ''
    if (!/^[a-z0-9-]{1,63}$/.test(tag)) refuse('invalid_request', 'svc.tags', wrongTags)
    if (!tags.includes(tag)) tags.push(tag)
    if (tags.length > tagsMax) refuse('invalid_request', 'svc.tags', wrongTags)
  }
  return tags
}

const wrongTags = `The field svc.tags must be a list of at most ${tagsMax} tags, each the slug of a tag that the application declares.`

export const nothingSaid = { outcome: null, session: null, tags: [], wantsReport: false } as const

const wrongSvc =
  'The field svc must be {"outcome": "<slug>", "outcome_id": "<run>", "session": "<id>", "tags": ["<slug>"], "report": true}, with strings of 1 to 200 characters, without control characters or lone surrogates. Send outcome and outcome_id together, or omit both.'
