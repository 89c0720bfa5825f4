import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { boundOf } from '#gateway/decide/maximum-usage-of-call.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'

interface Document {
  readonly kind: ProviderKind
  /**
   * The maximum number of input tokens for which money is held. `byBytes` is the maximum that would follow from the
   * size of the file alone.
   */
  readonly boundTokens: number
  readonly byBytes: number
  /** The vendor documents this number. */
  readonly inputTokens: number
}

/**
 * PDFs of 1 to 60 pages with 3 kB of contents a page and a font of 30 kB, as office programs write them. For each page,
 * Claude counts at least 1,500 tokens of text and an image of 1,600 tokens, and Gemini counts 258 tokens.
 */
export function generatedDocuments(): readonly Document[] {
  return [1, 2, 3, 5, 8, 12, 20, 35, 60].flatMap((pages) => {
    const file = pdfOf(pages)
    const data = file.toString('base64')
    const byBytes = Math.ceil(file.length / 200) * 7_800
    const source = { type: 'base64', media_type: 'application/pdf', data }
    const inlineData = { mimeType: 'application/pdf', data }
    return [
      {
        kind: 'anthropic' as const,
        byBytes,
        inputTokens: pages * 3_100,
        boundTokens: boundIn('messages', 'anthropic', {
          model: 'm',
          max_tokens: 1,
          messages: [{ role: 'user', content: [{ type: 'document', source }] }],
        }),
      },
      {
        kind: 'google' as const,
        byBytes,
        inputTokens: pages * 258,
        boundTokens: boundIn('generate', 'google', { contents: [{ parts: [{ inlineData }] }] }),
      },
    ]
  })
}

function boundIn(wire: WireName, kind: ProviderKind, body: object): number {
  const path = { model: 'm', isStream: false, isJsonArray: false }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if ('kind' in request) throw new Error(request.reason)
  // The cast is safe, because the computation of the maximum input reads only this part of a plan.
  const plan = {
    account: { kind },
    source: { account: { kind } },
    target: { model: 'm' },
    outputTokensDefault: 0,
    ownSearches: null,
  } as unknown as Plan
  return boundOf(request, plan, request.textTokensMax).textTokens
}

function pdfOf(pages: number): Buffer {
  const stream = (object: number, dictionary: string, bytes: number): string =>
    `${object} 0 obj <<${dictionary}/Length ${bytes}>> stream\n${'x'.repeat(bytes)}\nendstream endobj\n`
  const kids = Array.from({ length: pages }, (_, i) => `${2 * i + 9} 0 R`).join(' ')
  const leaves = Array.from(
    { length: pages },
    (_, i) =>
      `${2 * i + 9} 0 obj <</Type /Page /Contents ${2 * i + 10} 0 R>> endobj\n${stream(2 * i + 10, '', 3_000)}`,
  )
  const font = stream(3, '/Length1 30000', 30_000)
  const tree = `2 0 obj <</Type /Pages /Count ${pages} /Kids [${kids}]>> endobj\n`
  return Buffer.from(`%PDF-1.7\n${tree}${font}${leaves.join('')}trailer <</Root 1 0 R>>\n%%EOF\n`)
}
