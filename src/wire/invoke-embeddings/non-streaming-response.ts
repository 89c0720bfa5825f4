import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { topMembers } from '#wire/text/find-top-level-members.ts'

/**
 * Only Titan reports usage in the body, but all families report the input tokens in a header
 * (UpstreamHeaders.inputTokens).
 */
export function readInvokeEmbeddings(text: ByteText): WholeAnswer | null {
  const members = topMembers(text)
  if (members === null || !members.some(({ name }) => results.has(name))) return null
  const told = members.find(({ name }) => name === 'inputTextTokenCount')
  const input = told === undefined ? 0 : Number(text.slice(told.start, told.end))
  const usage: Usage = { ...zeroUsage, input }
  return {
    usage: told !== undefined && isPlausible(usage) ? usage : null,
    hasReportedUsage: told !== undefined,
    outputTokens: 0,
    hasNoOutput: true,
    body: text,
  }
}

const results: ReadonlySet<string> = new Set(['embedding', 'embeddings', 'embeddingsByType'])
