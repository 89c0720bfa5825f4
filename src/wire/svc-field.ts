import { after, inside, kindOf, kinds, stringAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { flagAt, isNull, refuse, textAt, type WireRequest } from './wire-request.ts'

/**
 * Reads `svc`, the request's settings for the gateway itself: the outcome run that it belongs to, its session, and
 * whether it requests a report.
 */
export function svcAt(json: Json, svc: Node): Pick<WireRequest, 'outcome' | 'session' | 'wantsReport'> {
  if (svc < 0 || isNull(json, svc)) return nothingSaid
  if (kindOf(json, svc) !== kinds.object) refuse('invalid_request', 'svc', wrongSvc)
  const said: Record<string, string | undefined> = {}
  let wantsReport = false
  for (let key = inside(svc), end = after(json, svc); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name === 'report') {
      wantsReport = flagAt(json, 'svc.report', valueOf(key))
      continue
    }
    if (name !== 'outcome' && name !== 'outcome_id' && name !== 'session')
      refuse(
        'invalid_request',
        `svc.${name}`,
        `Unknown field svc.${name}. svc accepts outcome, outcome_id, session and report.`,
      )
    const text = textAt(json, valueOf(key)) ?? ''
    // Reject U+0000 and lone surrogates. The texts are stored, and PostgreSQL does not accept these characters, even
    // inside JSON.
    if (text.length < 1 || text.length > 200 || /\p{Cc}/u.test(text) || !text.isWellFormed())
      refuse('invalid_request', `svc.${name}`, wrongSvc)
    said[name] = text
  }
  const { outcome: slug, outcome_id: runId, session = null } = said
  if (slug === undefined && runId === undefined) return { outcome: null, session, wantsReport }
  if (slug === undefined || runId === undefined) return refuse('invalid_request', 'svc', wrongSvc)
  return { outcome: { slug, runId }, session, wantsReport }
}

const nothingSaid = { outcome: null, session: null, wantsReport: false } as const

const wrongSvc =
  'The field svc must be {"outcome": "<slug>", "outcome_id": "<run>", "session": "<id>", "report": true}, the first two together or not at all: texts of 1 to 200 characters, without control characters or lone surrogates.'
