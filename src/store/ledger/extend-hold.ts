import type { ExtendRequest, ExtendResult } from '#domain/ledger-interface.ts'
import { extend as extendHold, extendUses } from '#money/extend-hold.ts'
import type { Book } from './ledger-state-in-memory.ts'
import { statusOfRun } from '#money/outcome-run-status.ts'
import { completeAfter, completeSources } from './add-due-sources.ts'
import { assertCounts, noSuchHold } from './operation-fault.ts'
import { limitsOf, ratesOf, withShared } from './spend-limits.ts'
import { causeOfCall, postAll } from './apply-posting.ts'

const noRoom: ExtendResult = { kind: 'no_room' }

/**
 * Increases the hold of a call in flight. Fails if the key was revoked, or the end user was frozen or deleted, since
 * the call was reserved.
 */
export function extend(book: Book, request: ExtendRequest): ExtendResult {
  const { callId, moreOutputTokens, moreToolUses, nowMs } = request
  const open = book.open(callId)
  if (open === null) throw noSuchHold(callId)
  assertCounts('extension of call', callId, [nowMs, (moreToolUses ?? moreOutputTokens) - 1])
  const { keyId, outcome } = open
  const key = book.key(open.person, keyId)
  const person = book.person(open.person.endUserId, open.person.mode, nowMs)
  if (key === null || person === null || person.isRemoved) return noRoom
  const bundle = completeSources(book, person, nowMs)
  const run = outcome === null ? null : book.run(person, outcome.slug, outcome.runId)
  const state = {
    nowMs,
    isFrozen: person.isFrozen,
    key,
    run: run && outcome && { status: statusOfRun(run, outcome.ceilingMicros) },
    sources: person.sources,
    limits: limitsOf(book, person, key, bundle, outcome, run, nowMs),
    rates: withShared(ratesOf(book, { person, key, bundle }, open.hold.bound.alias, nowMs), request),
  }
  const extended =
    moreToolUses === undefined
      ? extendHold(state, open.hold, moreOutputTokens)
      : extendUses(state, open.hold, moreToolUses)
  if (extended.kind === 'no_room') return noRoom
  const cause = causeOfCall(callId, nowMs)
  postAll(book, person, extended.postings, cause)
  completeAfter(book, person, open.hold.legs, nowMs)
  open.hold = extended.hold
  book.changeHold(open)
  const { worstMicros, worstCredits, legs } = extended.hold
  const { addedOutputTokens, addedToolUses } = extended
  return {
    kind: 'extended',
    worstMicros,
    worstCredits,
    legs,
    addedOutputTokens,
    ...(addedToolUses !== undefined && { addedToolUses }),
  }
}
