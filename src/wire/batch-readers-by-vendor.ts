import { parseObject } from '#wire/text/json-values.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { readBatchResult, readBatchState } from './messages/batch.ts'
import { readJobResult, readJobState } from './openai-batch.ts'
import type { AliasOf, BatchResult, BatchState } from './batch-result-types.ts'
import type { FormatName } from './names-of-wires-and-tasks.ts'
import type { ContainerIds } from './types-of-replaced-ids.ts'

/** The functions that read a vendor's descriptions and results of batches. */
interface BatchProtocol {
  /** Reads a provider's description of a batch. Null if the text does not describe a batch. */
  stateOf(text: ByteText): BatchState | null
  /** Reads the result of one request from a line of a result file. Null for a line without an ID. */
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
 * Returns the ID that the provider gave to a batch or a file, from the provider's description. Null if the text does
 * not describe a batch or a file.
 */
export function providerIdIn(text: ByteText): string | null {
  const { id } = parseObject(textOf(text)) ?? {}
  return typeof id === 'string' && id !== '' && id.length <= idLengthMax ? id : null
}

/** Batch IDs of current vendors have at most 64 characters. The higher limit leaves room for longer IDs. */
const idLengthMax = 512
