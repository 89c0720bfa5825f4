import { expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/wires.ts'
import { boundOf } from './call-bound.ts'

function planOf(kind: ProviderKind): Plan {
  // The function under test reads only these fields of a plan.
  return {
    account: { kind },
    target: { model: 'm' },
    outputTokensDefault: 9,
    ownSearches: null,
  } as unknown as Plan
}

it('each page of a document counts as many tokens as the target’s vendor counts for a page', () => {
  const pdf = '%PDF-1.7 1 0 obj <</Type /Pages /Kids [2 0 R] /Count 1>> endobj 2 0 obj <</Type /Page>> endobj'
  const data = Buffer.from(pdf.padEnd(5_000)).toString('base64')
  const parts = [{ inlineData: { mimeType: 'application/pdf', data } }]
  const body = byteTextOf(JSON.stringify({ contents: [{ parts }] }))
  const request = wires.generate.parseRequest(body, { model: 'm', isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  const tokensAt = (kind: ProviderKind): number =>
    boundOf(request, planOf(kind), request.textTokensMax).textTokens
  expect(tokensAt('anthropic')).toBe(request.textTokensMax)
  expect(tokensAt('openai_compatible')).toBe(request.textTokensMax)
  expect(tokensAt('google')).toBe(request.textTokensMax - 7_800 + 1_290)
})
