/** A list has one entry per line. An empty field means no restriction. */
import type { GatewaySetInput } from '#sdk/generated/gateway.ts'
import type { Gateway } from '#sdk/generated/types.ts'
import { wireFormats, type WireFormat } from '../../calls/wire-formats.ts'

/** Keeps the gateway's rules by kind of tool, which only the API and the command line can change. */
export const byKind = 'by_kind'

export interface GatewayValues extends Record<string, string | boolean>, Record<WireFormat, boolean> {
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
    // The cast is safe, because the list contains every wire format.
    ...(Object.fromEntries(wireFormats.map(({ wire }) => [wire, has(wire)])) as Record<WireFormat, boolean>),
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
  const wires = wireFormats.map(({ wire }) => wire)
  const chosen = wires.filter((wire) => values[wire])
  const orNull = (lines: readonly string[]): readonly string[] | null => (lines.length === 0 ? null : lines)
  return {
    ...(differs(...wires) && { wires: chosen.length === wires.length ? null : chosen }),
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
    ...(!wireFormats.some(({ wire }) => values[wire]) && {
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
