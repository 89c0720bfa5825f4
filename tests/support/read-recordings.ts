/**
 * Reads recorded traffic of providers: every response of the four wires, in the provider's bytes. The README of the
 * recordings has sources and licenses. The repository contains no recordings, so the tests are skipped if the folder is
 * absent.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'

export interface Recording {
  readonly name: string
  readonly wire: WireName
  readonly isStream: boolean
  /** Null if only the response was recorded. */
  readonly requestBody: unknown
  readonly status: number
  readonly bytes: ByteText
}

const folder = sharedFolder('recordings')

/** Whether the machine has no recordings, as an argument for `describe.skipIf`. */
export const hasNoRecordings = !existsSync(folder)
if (hasNoRecordings) console.warn('Recordings are not there: their tests are skipped.')

/**
 * The recordings are in the nearest `shared` folder above this file. A worktree can be deeper than the main checkout.
 */
function sharedFolder(name: string): URL {
  const parents = ['../../../', '../../../../', '../../../../../']
  const places = parents.map((parent) => new URL(`${parent}shared/${name}/`, import.meta.url))
  return places.find((place) => existsSync(place)) ?? new URL(`../../../shared/${name}/`, import.meta.url)
}

/** Empty if the folder is absent. */
export function recordingsOf(wire: WireName): readonly Recording[] {
  return all().filter((recording) => recording.wire === wire)
}

let loaded: readonly Recording[] | null = null

function all(): readonly Recording[] {
  if (hasNoRecordings) return []
  loaded ??= [...fromVercel(), ...fromPydantic(), ...fromAnthropic(), ...fromGoogle()]
  return loaded
}

/**
 * Most of these files contain one payload per line without its framing, or a whole body. A file with the ending `.sse`
 * contains the response exactly as it was sent.
 */
function fromVercel(): Recording[] {
  return filesIn('vercel-ai').map(({ name, text }) => {
    const lines = text.trimEnd().split('\n')
    const isStream = !name.endsWith('.json')
    const wire = wireOfText(name, text)
    const status = name.includes('-429-') ? 429 : name.includes('-error.') ? 400 : 200
    const bytes = name.endsWith('.chunks.txt') ? framed(wire, lines) : text
    return { name, wire, isStream, requestBody: null, status, bytes: byteTextOf(bytes) }
  })
}

/**
 * A file name contains the vendor, but a vendor may use two wires. The payload itself determines the wire of the
 * recording.
 */
function wireOfText(name: string, text: string): WireName {
  if (name.startsWith('vercel-ai/google-')) return 'generate'
  if (/"object":\s*"chat\.completion|legacy-parameter/.test(name + text)) return 'chat'
  return name.startsWith('vercel-ai/anthropic-') ? 'messages' : 'responses'
}

function framed(wire: WireName, lines: readonly string[]): string {
  if (wire === 'generate') return lines.map((line) => `data: ${line}\r\n\r\n`).join('')
  if (wire === 'chat') return `${lines.map((line) => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`
  // The type is not read with a JSON parser, because one line of the recordings is invalid JSON.
  return lines
    .map((line) => `event: ${/"type":\s*"([\w.]+)"/.exec(line)?.[1] ?? 'unknown'}\ndata: ${line}\n\n`)
    .join('')
}

interface Cassette {
  readonly interactions: readonly {
    readonly request: { readonly uri: string; readonly parsed_body?: unknown }
    readonly response: {
      readonly status: { readonly code: number }
      readonly body?: { readonly string?: string }
      readonly parsed_body?: unknown
    }
  }[]
}

function fromPydantic(): Recording[] {
  return filesIn('pydantic-ai').flatMap(({ name, text }) => {
    // If the file does not have the format of its recording tool, its test fails.
    const { interactions } = parse(text) as Cassette
    return interactions.map(({ request, response }, i) => {
      const body = response.body?.string
      return {
        name: `${name} ${i + 1}`,
        wire: wireOfUrl(request.uri),
        isStream: body !== undefined,
        requestBody: request.parsed_body ?? null,
        status: response.status.code,
        bytes: byteTextOf(body ?? JSON.stringify(response.parsed_body)),
      }
    })
  })
}

function fromAnthropic(): Recording[] {
  return filesIn('anthropic-sdk').map(({ name, text }) => ({
    name,
    wire: 'messages',
    isStream: true,
    requestBody: null,
    status: 200,
    bytes: byteTextOf(text),
  }))
}

interface Replay {
  readonly interactions: readonly {
    readonly request: { readonly url: string; readonly bodySegments?: readonly unknown[] }
    readonly response: { readonly statusCode: number; readonly bodySegments: readonly unknown[] }
  }[]
}

function fromGoogle(): Recording[] {
  return filesIn('js-genai').flatMap(({ name, text }) => {
    // The file has the format of its recording tool.
    const { interactions } = JSON.parse(text) as Replay
    return interactions.map(({ request, response }, i) => {
      // A response with a status other than 200 is a plain body, even if a stream was requested.
      const isStream = request.url.includes('alt=sse') && response.statusCode === 200
      const segments = response.bodySegments.map((segment) => JSON.stringify(segment))
      return {
        name: `${name} ${i + 1}`,
        wire: 'generate' as const,
        isStream,
        requestBody: request.bodySegments?.[0] ?? null,
        status: response.statusCode,
        bytes: byteTextOf(isStream ? framed('generate', segments) : segments.join('')),
      }
    })
  })
}

function wireOfUrl(url: string): WireName {
  if (url.includes('/v1/messages')) return 'messages'
  if (url.includes('/v1/responses')) return 'responses'
  return url.includes('/chat/completions') ? 'chat' : 'generate'
}

function filesIn(name: string): { readonly name: string; readonly text: string }[] {
  const inner = new URL(`${name}/`, folder)
  return readdirSync(inner)
    .toSorted()
    .map((file) => ({ name: `${name}/${file}`, text: readFileSync(new URL(file, inner), 'utf8') }))
}
