import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type { KeepTools } from '#wire/remove-provider-tools.ts'
import { toolKinds, type ToolKind } from '#wire/kinds-of-provider-tools.ts'
import { withContainers, withOwnIds } from '#wire/bound/add-stored-files-to-bounds.ts'
import { isFault, upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { MessagesFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { readMessagesResponse } from './non-streaming-response.ts'
import { parseMessagesRequest } from './parse-request.ts'
import { runFactsOf } from './code-execution-facts.ts'

const plain = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
const keepAll: KeepTools = (_, offered) => offered
const code = { type: 'code_execution_20260120', name: 'code_execution' }
const server = { type: 'url', name: 'wiki', url: 'https://wiki.example/mcp' }

function parsed(fields: object, keep: KeepTools = keepAll): WireRequest | RequestFault {
  return parseMessagesRequest(byteTextOf(JSON.stringify({ ...plain, ...fields })), keep)
}

function taken(fields: object, keep?: KeepTools): WireRequest {
  const request = parsed(fields, keep)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

function faultOf(fields: object, keep?: KeepTools): string {
  const request = parsed(fields, keep)
  return isFault(request) ? `${request.code} ${request.param}` : 'taken'
}

function sent(request: WireRequest): JsonObject {
  return parseObject(textOf(upstreamBody(request, 'm', null))) ?? {}
}

describe('a tool whose family is known', () => {
  const families: readonly (readonly [string, ToolKind | null])[] = [
    ['web_search_', 'webSearch'],
    ['web_fetch_', 'webFetch'],
    ['code_execution_', 'codeExecution'],
    ['tool_search_tool_regex_', 'toolSearch'],
    ['tool_search_tool_bm25_', 'toolSearch'],
    ['bash_', null],
    ['text_editor_', null],
    ['memory_', null],
    ['computer_', null],
    ['computer_toolset_', null],
    ['browser_toolset_', null],
  ]

  it('a tool of a known family is kept, regardless of the date in its type', () => {
    const date = fc.integer({ min: 20_240_101, max: 20_991_231 })
    fc.assert(
      fc.property(fc.constantFrom(...families), date, ([family, kind], day) => {
        const tools = [{ type: `${family}${day}`, name: 'x' }]
        const request = taken({ tools })
        expect(request.lost).toBeUndefined()
        expect(request.run?.kinds ?? []).toEqual(kind === null ? [] : [kind])
        expect(sent(request).tools).toEqual(tools)
      }),
      propertyRuns(300),
    )
  })
})

describe('MCP servers in a messages request', () => {
  const toolset = { type: 'mcp_toolset', mcp_server_name: 'wiki' }

  it('MCP servers are sent, with or without a set of their tools, and no field limits their uses', () => {
    for (const fields of [{ mcp_servers: [server] }, { mcp_servers: [server], tools: [toolset] }]) {
      const request = taken(fields)
      expect(sent(request)).toEqual({ ...plain, ...fields })
      expect(request.run).toMatchObject({ kinds: ['mcp'], limits: [{ kind: 'mcp', place: null }] })
      expect(request.hasTools).toBe(true)
    }
  })

  it('the hold covers the definitions of the tools of MCP servers', () => {
    const bound = (...servers: object[]) => taken({ mcp_servers: servers }).textTokensMax
    expect(bound(server, server) - bound(server)).toBeGreaterThan(4_096)
  })

  it('MCP servers that may not be sent are removed with their tools, and no other byte changes', () => {
    const own = { name: 'f', input_schema: { type: 'object' } }
    const fields = {
      tool_choice: { type: 'auto' },
      mcp_servers: [server],
      tools: [own, toolset],
      temperature: 1,
    }
    const { mcp_servers: _, ...others } = fields
    const request = taken(fields, () => new Set())
    expect(sent(request)).toEqual({ ...plain, ...others, tools: [own] })
    expect(request).toMatchObject({
      lost: ['tools.mcp_toolset', 'tools.mcp_servers'],
      lostKinds: ['mcp', 'mcp'],
    })
    const alone = taken({ mcp_servers: [server], tool_choice: { type: 'auto' } }, () => new Set())
    expect(sent(alone)).toEqual(plain)
    expect(faultOf({ mcp_servers: [server], tool_choice: { type: 'any' } }, () => new Set())).toBe(
      'unsupported_for_route tool_choice',
    )
  })

  it('after servers and tools are removed, the body is valid, in any order of fields', () => {
    const fields = Object.entries({
      tools: [toolset, code],
      mcp_servers: [server],
      tool_choice: { type: 'auto' },
      temperature: 1,
      svc: {},
    })
    const kinds = fc.subarray([...toolKinds])
    fc.assert(
      fc.property(fc.shuffledSubarray(fields), kinds, (some, kept) => {
        const body = Object.fromEntries([...some, ...Object.entries(plain)])
        const text = byteTextOf(JSON.stringify(body))
        const request = parseMessagesRequest(
          text,
          (_, offered) => new Set(kept.filter((kind) => offered.has(kind))),
        )
        if (isFault(request)) throw new Error(request.reason)
        const left = sent(request)
        expect('mcp_servers' in left).toBe('mcp_servers' in body && kept.includes('mcp'))
        expect(left.temperature).toBe(body.temperature)
        expect(left.messages).toEqual(plain.messages)
      }),
      propertyRuns(300),
    )
  })
})

describe('a container in a messages request', () => {
  const upload = { role: 'user', content: [{ type: 'container_upload', file_id: 'file_x' }] }

  it.each<[string, object, string | null]>([
    ['an ID', { container: 'container_x' }, 'container_x'],
    ['an object with an ID', { container: { id: 'container_x' } }, 'container_x'],
    ['null', { container: null }, null],
    ['published skills', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }, null],
  ])('a container is read from %s', (_, fields, id) => {
    expect(taken({ ...fields, tools: [code] }).containers?.[0]?.id ?? null).toBe(id)
  })

  it.each<[string, object]>([
    ['a number', { container: 5 }],
    ['an object whose ID is a number', { container: { id: 5 } }],
  ])('%s is not accepted as a container', (_, fields) => {
    expect(faultOf({ ...fields, tools: [code] })).toBe('invalid_request container')
  })

  it('a skill of the account is rejected, and so are a container and an upload without a code tool', () => {
    const skill = { skills: [{ type: 'anthropic' }, { type: 'custom', skill_id: 'skill_1' }] }
    expect(faultOf({ container: skill, tools: [code] })).toBe('unsupported_for_route container.skills.1')
    expect(faultOf({ container: 'container_x' })).toBe('unsupported_for_route container')
    expect(faultOf({ messages: [upload] })).toBe('unsupported_for_route messages.0.content')
    const dropped = faultOf({ container: 'container_x', tools: [code] }, () => new Set())
    expect(dropped).toBe('unsupported_for_route container')
  })

  it('the provider’s ID replaces the end user’s ID, and nothing else changes', () => {
    const request = taken({ container: { id: 'container_x', skills: [] }, tools: [code] })
    const opened = withContainers(request, () => ({ id: 'container_"1', origin: 'o' }))
    expect(sent(opened)).toEqual({ ...plain, tools: [code], container: { id: 'container_"1', skills: [] } })
  })

  it('an upload is copied to the container and is not read as input', () => {
    const request = taken({ messages: [upload], tools: [code] })
    expect(request.files).toMatchObject([{ id: 'file_x', isUpload: true }])
  })

  it('a container is billed once, unless a search or a fetch of the request filters with code', () => {
    const uses = (...types: string[]) => taken({ tools: types.map((type) => ({ type, name: 'x' })) }).uses
    expect(uses('code_execution_20250825')).toEqual({ codeSessions: 1 })
    expect(uses('code_execution_20260120', 'web_search_20250305')).toEqual({ codeSessions: 1 })
    expect(uses('code_execution_20260120', 'web_search_20260209')).toBeUndefined()
    expect(uses('code_execution_20260120', 'web_fetch_20270101')).toBeUndefined()
    expect(uses('web_search_20250305')).toBeUndefined()
  })
})

describe('the response of a container', () => {
  const usage = { input_tokens: 5, output_tokens: 2 }
  const container = { id: 'container_1', expires_at: '2026-12-01T00:00:00Z' }
  const containers = { idOf: (id: string) => `own-${id}`, fileIdOf: (id: string) => `own-${id}` }
  const billed = runFactsOf(taken({ tools: [code] }))

  it.each([
    ['with a container', container, 1],
    ['with null', null, 0],
  ])(
    'a non-streaming response %s reports its container sessions, and has the end user’s ID of the container',
    (_, named, sessions) => {
      const message = { type: 'message', model: 'x', content: [], container: named, usage }
      const answer = readMessagesResponse(byteTextOf(JSON.stringify(message)), 'a', billed, containers)
      expect(answer?.usage?.codeSessions).toBe(sessions)
      const shown = named && { ...named, id: 'own-container_1' }
      expect(JSON.parse(textOf(answer?.body ?? ''))).toEqual({ ...message, model: 'a', container: shown })
    },
  )

  it.each(['bash_code_execution', 'code_execution'])(
    'the client gets its own IDs for files that %s has created, also in a stream',
    (name) => {
      const output = (file_id: string) => ({ type: `${name}_output`, file_id })
      const result = {
        type: `${name}_result`,
        stdout: 'file_x',
        content: [output('file_1'), output('file_2')],
      }
      const block = { type: `${name}_tool_result`, tool_use_id: 'x', content: result }
      const own = { ...block, content: { ...result, content: [output('own-file_1'), output('own-file_2')] } }
      const message = { type: 'message', model: 'a', content: [block], container, usage }
      const answer = readMessagesResponse(byteTextOf(JSON.stringify(message)), 'a', billed, containers)
      expect(JSON.parse(textOf(answer?.body ?? '')).content).toEqual([own])
      const frames = [
        { type: 'message_start', message: { model: 'a', content: [], usage } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
        { type: 'message_stop' },
      ]
      const text = byteTextOf(frames.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
      const stream = new PassThroughStream(new MessagesFrameReader('a', billed, containers))
      const shown = stream.push(text) + stream.end() + stream.tail()
      expect(shown).toContain(JSON.stringify(own))
      // In the history, the gateway reads file IDs only from the results of code.
      const request = taken({
        tools: [code],
        messages: [
          {
            role: 'assistant',
            content: [own, { type: 'tool_result', content: [{ type: 'text', text: 'x' }] }],
          },
        ],
      })
      expect(request.codeFiles?.map(({ id }) => id)).toEqual(['own-file_1', 'own-file_2'])
      expect(request.files).toBeUndefined()
      const back = withOwnIds(request, (id) => (id === 'own-file_1' ? 'file_1' : null))
      expect(upstreamBody(back, 'm', null)).toContain(
        JSON.stringify([output('file_1'), output('own-file_2')]),
      )
    },
  )

  it('a stream reports its container sessions, shows the client’s container ID, and counts the uses of code and of MCP servers', () => {
    const use = (type: string, name: string) => ({
      type: 'content_block_start',
      index: 0,
      content_block: { type, id: 'x', name, input: {} },
    })
    const frames = [
      { type: 'message_start', message: { model: 'x', content: [], container: null, usage } },
      use('server_tool_use', 'bash_code_execution'),
      use('server_tool_use', 'text_editor_code_execution'),
      use('mcp_tool_use', 'ask'),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage },
      { type: 'message_stop' },
    ]
    const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
    for (const [run, uses, sessions] of [
      [billed, 2, 1],
      [undefined, 1, 0],
    ] as const) {
      const stream = new PassThroughStream(new MessagesFrameReader('a', run, containers))
      const shown = stream.push(byteTextOf(text)) + stream.end() + stream.tail()
      expect([stream.toolUses, stream.usage?.codeSessions]).toEqual([uses, sessions])
      expect(shown).toContain('"own-container_1"')
      expect(shown).not.toContain('"container_1"')
    }
  })
})
