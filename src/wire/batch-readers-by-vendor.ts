import { parseObject } from '#wire/text/json-values.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { readBatchResult, readBatchState } from './messages/batch.ts'
import { readJobResult, readJobState } from './openai-batch.ts'
import type { AliasOf, BatchResult, BatchState } from './batch-result-types.ts'
import type { FormatName } from './names-of-wires-and-tasks.ts'
import type { ContainerIds } from './types-of-replaced-ids.ts'

interface BatchProtocol {
  stateOf(text: ByteText): BatchState | null
  /** Reads one line of a result file. Null for a line without an ID. */
  readonly resultOf: (
    line: ByteText,
    wire: FormatName,
    aliasOf: AliasOf,
    containers?: ContainerIds,
  ) => BatchResult | null
}

export const batchProtocols: Readonly<Record<'anthropic' | 'openai', BatchProtocol>> = {
  anthropic: {
    stateOf: readBatchState,
    resultOf: (line, _wire, ...ids) => readBatchResult(line, ...ids),
  },
  openai: { stateOf: readJobState, resultOf: readJobResult },
}

/**
 * Returns the provider's ID of a batch or a file, from the provider's description. Null if the text describes neither.
 */
export function providerIdIn(text: ByteText): string | null {
  const { id } = parseObject(textOf(text)) ?? {}
  return typeof id === 'string' && id !== '' && id.length <= idLengthMax ? id : null
}

/** Batch IDs of current vendors have at most 64 characters. */
const idLengthMax = 512
