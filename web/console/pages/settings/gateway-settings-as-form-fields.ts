/** A list has one entry per line. An empty field means no restriction. */
import type { GatewaySetInput } from '#sdk/generated/gateway.ts'
import type { Gateway } from '#sdk/generated/types.ts'

export const wires = [
  ['chat', 'Chat completions', '/v1/chat/completions'],
  ['responses', 'Responses', '/v1/responses'],
  ['messages', 'Messages', '/v1/messages'],
  ['generate', 'Generate content', '/v1beta/models/…'],
  ['converse', 'Converse', '/model/…/converse'],
  ['cohere', 'Cohere chat', '/v2/chat'],
  ['embeddings', 'Embeddings', '/v1/embeddings'],
  ['embed_content', 'Embed content', '/v1beta/models/…:embedContent'],
  ['batch_embed_contents', 'Batch embed contents', '/v1beta/models/…:batchEmbedContents'],
  ['invoke_embeddings', 'Bedrock embeddings', '/model/…/invoke'],
  ['cohere_embed', 'Cohere embeddings', '/v2/embed'],
  ['moderations', 'Moderations', '/v1/moderations'],
  ['completions', 'Text completions', '/v1/completions'],
  ['rerank', 'Rerank', '/v1/rerank'],
  ['images', 'Images', '/v1/images/generations'],
  ['image_edits', 'Image edits', '/v1/images/edits'],
  ['speech', 'Speech', '/v1/audio/speech'],
  ['transcriptions', 'Transcriptions', '/v1/audio/transcriptions'],
  ['translations', 'Translations', '/v1/audio/translations'],
  ['compact', 'Compactions', '/v1/responses/compact'],
] as const

/** Keeps the gateway's rules by kind of tool, which only the API and the command line can change. */
export const byKind = 'by_kind'

export interface GatewayValues extends Record<string, string | boolean> {
  chat: boolean
  responses: boolean
  messages: boolean
  generate: boolean
  converse: boolean
  cohere: boolean
  embeddings: boolean
  embed_content: boolean
  batch_embed_contents: boolean
  invoke_embeddings: boolean
  cohere_embed: boolean
  moderations: boolean
  completions: boolean
  rerank: boolean
  images: boolean
  image_edits: boolean
  speech: boolean
  transcriptions: boolean
  translations: boolean
  compact: boolean
  models: string
  origins: string
  addresses: string
  /** Weekly hours as JSON. An empty string means always. */
  hours: string
  defaultMaxTokens: string
  holdWaitMs: string
  filesMax: string
  fileBytesMax: string
  storagePrefixes: string
  providerTools: string
  conversion: string
  passTraceparent: boolean
}

export function valuesOf(gateway: Gateway): GatewayValues {
  const has = (wire: string): boolean => gateway.wires === null || gateway.wires.includes(wire)
  return {
    chat: has('chat'),
    responses: has('responses'),
    messages: has('messages'),
    generate: has('generate'),
    converse: has('converse'),
    cohere: has('cohere'),
    embeddings: has('embeddings'),
    embed_content: has('embed_content'),
    batch_embed_contents: has('batch_embed_contents'),
    invoke_embeddings: has('invoke_embeddings'),
    cohere_embed: has('cohere_embed'),
    moderations: has('moderations'),
    completions: has('completions'),
    rerank: has('rerank'),
    images: has('images'),
    image_edits: has('image_edits'),
    speech: has('speech'),
    transcriptions: has('transcriptions'),
    translations: has('translations'),
    compact: has('compact'),
    models: (gateway.models ?? []).join('\n'),
    origins: gateway.origins.join('\n'),
    addresses: (gateway.addresses ?? []).join('\n'),
    hours: gateway.hours === null ? '' : JSON.stringify(gateway.hours),
    defaultMaxTokens: gateway.defaultMaxTokens === null ? '' : String(gateway.defaultMaxTokens),
    holdWaitMs: gateway.holdWaitMs === null ? '' : String(gateway.holdWaitMs),
    filesMax: gateway.filesMax === null ? '' : String(gateway.filesMax),
    fileBytesMax: gateway.fileBytesMax === null ? '' : String(gateway.fileBytesMax),
    storagePrefixes: gateway.storagePrefixes.join('\n'),
    providerTools: typeof gateway.providerTools === 'string' ? gateway.providerTools : byKind,
    conversion: gateway.conversion,
    passTraceparent: gateway.passTraceparent,
  }
}

/** Omits unchanged settings, so that another member's change of such a setting is kept. */
export function inputOf(values: GatewayValues, gateway: Gateway): GatewaySetInput {
  const stored = valuesOf(gateway)
  const differs = (...names: (keyof GatewayValues)[]): boolean =>
    names.some((name) => values[name] !== stored[name])
  const chosen = wires.map(([wire]) => wire).filter((wire) => values[wire])
  const orNull = (lines: readonly string[]): readonly string[] | null => (lines.length === 0 ? null : lines)
  return {
    ...(differs(...wires.map(([wire]) => wire)) && {
      wires: chosen.length === wires.length ? null : chosen,
    }),
    ...(differs('models') && { models: orNull(linesOf(values.models)) }),
    ...(differs('origins') && { origins: linesOf(values.origins) }),
    ...(differs('addresses') && { addresses: orNull(linesOf(values.addresses)) }),
    ...(differs('hours') && { hours: hoursOf(values.hours) }),
    ...(differs('defaultMaxTokens') && { defaultMaxTokens: countOf(values.defaultMaxTokens) }),
    ...(differs('holdWaitMs') && { holdWaitMs: countOf(values.holdWaitMs) }),
    ...(differs('filesMax') && { filesMax: countOf(values.filesMax) }),
    ...(differs('fileBytesMax') && { fileBytesMax: countOf(values.fileBytesMax) }),
    ...(differs('storagePrefixes') && { storagePrefixes: linesOf(values.storagePrefixes) }),
    ...(differs('providerTools') && {
      providerTools: values.providerTools as NonNullable<GatewaySetInput['providerTools']>,
    }),
    ...(differs('conversion') && { conversion: values.conversion as 'lenient' | 'strict' }),
    ...(differs('passTraceparent') && { passTraceparent: values.passTraceparent }),
  }
}

export function faultsOf(values: GatewayValues): Partial<Record<keyof GatewayValues & string, string>> {
  const hours = hoursOf(values.hours)
  const isCount = (text: string, least: number, most: number): boolean =>
    text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most)
  return {
    ...(!wires.some(([wire]) => values[wire]) && {
      chat: 'Select at least one wire format. To reject all requests, archive the application.',
    }),
    ...(hours?.some(({ days }) => days.length === 0) && {
      hours: 'Choose at least one day in each line, or remove the line.',
    }),
    ...(!isCount(values.defaultMaxTokens, 1, 10_000_000) && {
      defaultMaxTokens: 'Enter a whole number from 1 to 10,000,000, or leave empty.',
    }),
    ...(!isCount(values.holdWaitMs, 0, 60_000) && {
      holdWaitMs: 'Enter a whole number from 0 to 60,000, or leave empty.',
    }),
    ...(!isCount(values.filesMax, 0, 10_000) && {
      filesMax: 'Enter a whole number from 0 to 10,000, or leave empty.',
    }),
    ...(!isCount(values.fileBytesMax, 0, 1_000_000_000_000) && {
      fileBytesMax: 'Enter a whole number from 0 to 1,000,000,000,000, or leave empty.',
    }),
  }
}

export interface Hours {
  readonly days: readonly string[]
  readonly from: string
  readonly until: string
}

/** @returns null if no hours are set, which means always */
export function hoursOf(text: string): GatewaySetInput['hours'] & (readonly Hours[] | null) {
  const parsed = text === '' ? [] : (JSON.parse(text) as NonNullable<Gateway['hours']>)
  return parsed.length === 0 ? null : parsed
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/[\n,]/).map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

function countOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}
