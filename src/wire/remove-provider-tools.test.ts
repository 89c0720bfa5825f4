import { wireNames } from './names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { counters } from './table-of-token-count-formats.ts'
import { wires } from './table-of-wires.ts'
import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import type { KeepTools } from './remove-provider-tools.ts'
import { toolKinds } from './kinds-of-provider-tools.ts'
import { isFault, requestLimits, upstreamBody } from './wire-request.ts'
import type { RequestFault, WireRequest } from './wire-request.ts'

const path = { model: 'm', isStream: false, isJsonArray: false }

/**
 * Wires whose providers run tools from the field `tools`. converse/parse-request.test.ts tests Converse, and Cohere's
 * chat has no such tools.
 */
const listed = wireNames.filter((wire) => wire !== 'converse' && wire !== 'cohere')
type WireName = (typeof listed)[number]

const bodies: Readonly<Record<WireName, object>> = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  generate: { contents: [{ parts: [{ text: 'hi' }] }] },
}
const own: Readonly<Record<WireName, object>> = {
  chat: { type: 'function', function: { name: 'f', parameters: {} } },
  messages: { name: 'f', input_schema: { type: 'object' } },
  responses: { type: 'function', name: 'f', parameters: {} },
  generate: { functionDeclarations: [{ name: 'f' }] },
}
const theirs: Readonly<Record<WireName, readonly object[]>> = {
  chat: [
    { type: 'web_search' },
    { type: 'openrouter:web_search' },
    { type: 'live_search', sources: [] },
    { type: 'builtin_function', function: { name: '$web_search' } },
  ],
  messages: [
    { type: 'web_search_20250305', name: 'web_search' },
    { type: 'web_fetch_20250910', name: 'web_fetch' },
    { type: 'code_execution_20250825', name: 'code_execution' },
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    { type: 'mcp_toolset', mcp_server_name: 'x' },
  ],
  responses: [
    { type: 'web_search' },
    { type: 'web_search_preview' },
    { type: 'file_search' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'image_generation' },
    { type: 'mcp', server_label: 'x', server_url: 'https://x' },
    { type: 'tool_search' },
    { type: 'shell' },
    { type: 'something_new' },
  ],
  generate: [
    { googleSearch: {} },
    { google_search: {} },
    { codeExecution: {} },
    { urlContext: {} },
    { fileSearch: {} },
    { googleMaps: {} },
    { mcpServers: [] },
    { somethingNew: {} },
  ],
}

function read(wire: WireName, fields: object): WireRequest | RequestFault {
  return wires[wire].parseRequest(byteTextOf(JSON.stringify({ ...bodies[wire], ...fields })), path)
}

/** Returns the body for the provider, and the losses that the client sees. */
function sent(wire: WireName, fields: object): { body: JsonObject; lost: readonly string[] } {
  const request = read(wire, fields)
  if (isFault(request)) throw new Error(request.reason)
  return { body: parseObject(textOf(upstreamBody(request, 'm', null))) ?? {}, lost: request.lost ?? [] }
}

function refusal(wire: WireName, fields: object): string {
  const request = read(wire, fields)
  return isFault(request) ? `${request.code} ${request.param}` : 'taken'
}

describe.each(listed)('%s: a tool that the provider runs', (wire) => {
  it.each(theirs[wire].map((tool) => [JSON.stringify(tool), tool] as const))(
    'a tool of the provider is removed and reported if the model is not forced to call it: %s',
    (_, tool) => {
      const { body, lost } = sent(wire, { tools: [own[wire], tool] })
      expect(body).toEqual({ ...bodies[wire], tools: [own[wire]] })
      expect(lost).toHaveLength(1)
      expect(lost[0]).toMatch(/^tools\.\S+$/)
      // If the only tool is removed, the list is removed too, with the fields that a provider rejects without a list.
      expect(sent(wire, { tools: [tool] })).toEqual({ body: bodies[wire], lost })
      expect(sent(wire, { tools: [tool, tool, own[wire], tool] }).body.tools).toEqual([own[wire]])
    },
  )

  it('the hold does not include a removed tool', () => {
    const alone = read(wire, { tools: [own[wire]] })
    const offered = read(wire, { tools: [own[wire], ...theirs[wire]] })
    if (isFault(alone) || isFault(offered)) throw new Error('refused')
    expect(offered.textTokensMax).toBe(alone.textTokensMax)
  })

  it('a removed tool never reaches a provider, in any combination and order of tools', () => {
    const tools = fc.array(fc.constantFrom(own[wire], ...theirs[wire]), { maxLength: 8 })
    fc.assert(
      fc.property(tools, fc.constantFrom(null, 1, 2), (offered, indent) => {
        const text = JSON.stringify({ ...bodies[wire], tools: offered }, null, indent ?? 0)
        const request = wires[wire].parseRequest(byteTextOf(text), path)
        if (isFault(request)) throw new Error(request.reason)
        const body = parseObject(textOf(upstreamBody(request, 'm', 5)))
        const left = offered.filter((tool) => tool === own[wire])
        expect(body?.tools ?? []).toEqual(left)
        expect(request.lost ?? []).toHaveLength(offered.length - left.length)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a tool that the model is forced to call', () => {
  it.each<readonly [WireName, object, string]>([
    ['chat', { tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tool_choice'],
    ['chat', { tools: theirs.chat, tool_choice: { type: 'web_search' } }, 'tool_choice'],
    [
      'chat',
      {
        tools: [own.chat, ...theirs.chat],
        tool_choice: { type: 'function', function: { name: '$web_search' } },
      },
      'tool_choice',
    ],
    ['messages', { tools: theirs.messages, tool_choice: { type: 'any' } }, 'tool_choice'],
    [
      'messages',
      { tools: [own.messages, ...theirs.messages], tool_choice: { type: 'tool', name: 'web_search' } },
      'tool_choice',
    ],
    ['responses', { tools: theirs.responses, tool_choice: 'required' }, 'tool_choice'],
    [
      'responses',
      { tools: [own.responses, ...theirs.responses], tool_choice: { type: 'mcp' } },
      'tool_choice',
    ],
    [
      'responses',
      {
        tools: [own.responses, { type: 'web_search' }],
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
      },
      'tool_choice',
    ],
    [
      'generate',
      { tools: [{ googleSearch: {} }], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      'toolConfig',
    ],
  ])('the error for a forced tool names the field that forces it: %s %j', (wire, fields, param) => {
    expect(refusal(wire, fields)).toBe(`unsupported_for_route ${param}`)
  })

  it('a tool that calls a second model is always rejected, because that model has another price', () => {
    for (const date of ['20260301', '20991231'])
      expect(
        read('messages', { tools: [own.messages, { type: `advisor_${date}`, name: 'advisor', model: 'x' }] }),
      ).toMatchObject({
        code: 'unsupported_for_route',
        param: 'tools.1',
        reason: expect.stringMatching(/second model/),
      })
  })

  it('a forced choice is accepted if the model can call a tool of the caller instead', () => {
    for (const [wire, choice] of [
      ['chat', 'required'],
      ['messages', { type: 'any' }],
      ['responses', 'required'],
    ] as const) {
      const fields = { tools: [own[wire], ...theirs[wire]], tool_choice: choice }
      expect(sent(wire, fields).body).toMatchObject({ tools: [own[wire]], tool_choice: choice })
    }
  })
})

describe('fields that depend on a removed tool', () => {
  it('a tool choice is removed with the last tool, because every provider rejects a tool choice without tools', () => {
    const chat = { tools: [{ type: 'web_search' }], tool_choice: 'auto', parallel_tool_calls: false }
    expect(sent('chat', chat).body).toEqual(bodies.chat)
    const responses = { ...chat, temperature: 1 }
    expect(sent('responses', responses).body).toEqual({ ...bodies.responses, temperature: 1 })
    const messages = { tools: theirs.messages, tool_choice: { type: 'auto' }, svc: {} }
    expect(sent('messages', messages).body).toEqual(bodies.messages)
    const generate = { tools: { googleSearch: {} }, toolConfig: { retrievalConfig: {} } }
    expect(sent('generate', generate).body).toEqual(bodies.generate)
  })

  it('a deferred tool is loaded immediately if its search tool is removed', () => {
    const [search] = theirs.messages.filter((tool) => JSON.stringify(tool).includes('tool_search'))
    const deferred = { ...own.messages, defer_loading: true }
    expect(sent('messages', { tools: [search, deferred] })).toMatchObject({
      body: { tools: [own.messages] },
      lost: ['tools.tool_search_tool_regex_20251119', 'tools.defer_loading'],
    })
    const later = { ...own.responses, defer_loading: true }
    expect(sent('responses', { tools: [later, { type: 'tool_search' }] }).body.tools).toEqual([own.responses])
    // If the client runs the search, all tools are kept.
    const searched = { tools: [later, { type: 'tool_search', execution: 'client' }, { type: 'mcp' }] }
    expect(sent('responses', searched).body.tools).toEqual(searched.tools.slice(0, 2))
  })

  it('a tool that only code at the provider may call is removed together with the tool for code', () => {
    const code = { type: 'code_execution_20250825', name: 'code_execution' }
    const called = { ...own.messages, allowed_callers: ['code_execution_20250825'] }
    expect(sent('messages', { tools: [code, called] }).body.tools).toEqual([own.messages])
  })

  it('a namespace without tools is also removed, and so is a removed tool’s entry in a list of allowed tools', () => {
    const space = (tools: readonly object[]) => ({ type: 'namespace', name: 'n', description: 'd', tools })
    const offered = [space([own.responses, { type: 'mcp' }]), space([{ type: 'mcp' }])]
    expect(sent('responses', { tools: offered }).body.tools).toEqual([space([own.responses])])
    const one = { type: 'function', name: 'f' }
    const allowed = (tools: readonly object[]) => ({ type: 'allowed_tools', mode: 'auto', tools })
    const tools = [own.responses, { type: 'web_search' }]
    expect(
      sent('responses', { tools, tool_choice: allowed([{ type: 'web_search' }, one]) }).body.tool_choice,
    ).toEqual(allowed([one]))
    expect(
      sent('responses', { tools, tool_choice: allowed([{ type: 'web_search' }]) }).body.tool_choice,
    ).toBe('none')
    const item = (list: readonly object[]) => ({ input: [{ type: 'additional_tools', tools: list }] })
    expect(sent('responses', item([{ type: 'web_search' }, own.responses])).body).toEqual({
      model: 'm',
      ...item([own.responses]),
    })
  })

  it('if one object defines several tools, only the members of the removed tools are removed', () => {
    const tools = [{ google_search: {}, ...own.generate, codeExecution: {} }]
    expect(sent('generate', { tools })).toEqual({
      body: { ...bodies.generate, tools: [own.generate] },
      lost: ['tools.googleSearch', 'tools.codeExecution'],
    })
  })
})

it('a request that counts tokens is sent without the tools that the gateway removes', () => {
  for (const wire of ['messages', 'responses', 'generate'] as const) {
    const body = { ...bodies[wire], tools: [own[wire], ...theirs[wire]] }
    const request = counters[wire]?.parseRequest(byteTextOf(JSON.stringify(body)), path)
    if (!request || isFault(request)) throw new Error('refused')
    expect(parseObject(textOf(upstreamBody(request, 'm', null)))?.tools).toEqual([own[wire]])
  }
  const generateContentRequest = { model: 'models/m', ...bodies.generate, tools: [{ googleSearch: {} }] }
  const text = byteTextOf(JSON.stringify({ generateContentRequest }))
  const whole = counters.generate?.parseRequest(text, path)
  if (!whole || isFault(whole)) throw new Error('refused')
  expect(parseObject(textOf(upstreamBody(whole, 'm', null)))).toEqual({
    generateContentRequest: { model: 'models/m', ...bodies.generate },
  })
})

describe('a tool that is kept', () => {
  const keepAll: KeepTools = (_, offered) => offered
  const kept = (wire: WireName, fields: object, keep: KeepTools = keepAll): WireRequest | RequestFault =>
    wires[wire].parseRequest(byteTextOf(JSON.stringify({ ...bodies[wire], ...fields })), path, keep)
  const taken = (wire: WireName, fields: object, keep?: KeepTools): WireRequest => {
    const request = kept(wire, fields, keep)
    if (isFault(request)) throw new Error(request.reason)
    return request
  }
  const bodyFor = (request: WireRequest, usesMax: number | null): JsonObject =>
    parseObject(textOf(upstreamBody(request, 'm', null, 'compatible', usesMax))) ?? {}
  const search = { type: 'web_search_20250305', name: 'web_search' }

  it('on the messages wire, the limit is written into the definition of each kept tool, unless the client set a lower limit', () => {
    const tools = [own.messages, search, { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 }]
    const request = taken('messages', { tools })
    expect(request.lost).toBeUndefined()
    expect(request.run).toMatchObject({ kinds: ['webSearch', 'webFetch'], isShared: false })
    expect(request.run?.limits.map(({ asked }) => asked)).toEqual([null, 2])
    expect(bodyFor(request, 3).tools).toEqual([tools[0], { ...search, max_uses: 3 }, tools[2]])
    expect(bodyFor(request, 1).tools).toEqual([
      tools[0],
      { ...search, max_uses: 1 },
      { ...tools[2], max_uses: 1 },
    ])
    expect(bodyFor(request, null).tools).toEqual(tools)
  })

  it('on the responses wire, one limit applies to all kept tools together', () => {
    const tools = [{ type: 'web_search' }, { type: 'mcp', server_label: 'x', server_url: 'https://x' }]
    const request = taken('responses', { tools })
    expect(request.run).toMatchObject({ kinds: ['webSearch', 'mcp'], isShared: true })
    expect(bodyFor(request, 4)).toEqual({ ...bodies.responses, tools, max_tool_calls: 4 })
    expect(bodyFor(taken('responses', { tools, max_tool_calls: 2 }), 4).max_tool_calls).toBe(2)
    expect(bodyFor(taken('responses', { tools, max_tool_calls: 9 }), 4).max_tool_calls).toBe(4)
    expect(bodyFor(taken('responses', { tools, max_tool_calls: null }), 4).max_tool_calls).toBe(4)
  })

  it.each<[WireName, object, string]>([
    ['messages', { tools: [{ ...search, max_uses: 0 }] }, 'invalid_request tools.0.max_uses'],
    ['messages', { tools: [{ ...search, max_uses: 'many' }] }, 'invalid_request tools.0.max_uses'],
    ['responses', { tools: [{ type: 'web_search' }], max_tool_calls: 1.5 }, 'invalid_request max_tool_calls'],
  ])('on the wire %s, the limit must be a whole number: %j', (wire, fields, fault) => {
    const request = kept(wire, fields)
    expect(isFault(request) ? `${request.code} ${request.param}` : 'taken').toBe(fault)
  })

  it('if the model is forced to call a kept tool, the request cannot be sent without the tool', () => {
    const forced = { tools: [search], tool_choice: { type: 'tool', name: 'web_search' } }
    const request = taken('messages', forced)
    expect(bodyFor(request, 2).tool_choice).toEqual(forced.tool_choice)
    expect(request.run?.dropped).toMatchObject({ kind: 'fault', param: 'tool_choice' })
    const choice = { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }
    expect(taken('responses', choice).run?.dropped).toMatchObject({ param: 'tool_choice' })
  })

  it('one tool of the provider can be kept and another removed, and the request without both is also prepared', () => {
    const tools = [search, { type: 'code_execution_20250825', name: 'code_execution' }, own.messages]
    const request = taken('messages', { tools }, (_, offered) => {
      expect(offered).toEqual(new Set(['webSearch', 'codeExecution']))
      return new Set(['webSearch'])
    })
    expect(request).toMatchObject({
      lost: ['tools.code_execution_20250825'],
      lostKinds: ['codeExecution'],
    })
    expect(bodyFor(request, 5).tools).toEqual([{ ...search, max_uses: 5 }, own.messages])
    const dropped = request.run?.dropped
    if (dropped === undefined || isFault(dropped)) throw new Error('it is read')
    expect(bodyFor(dropped, null).tools).toEqual([own.messages])
    expect(dropped.lost).toEqual(['tools.web_search_20250305', 'tools.code_execution_20250825'])
  })

  it('a search for deferred tools is kept together with these tools, and needs no limit on its uses', () => {
    const deferred = { ...own.responses, defer_loading: true }
    const request = taken('responses', { tools: [{ type: 'tool_search' }, deferred] })
    expect(request.run).toMatchObject({ kinds: ['toolSearch'], limits: [] })
    expect(bodyFor(request, null).tools).toEqual([{ type: 'tool_search' }, deferred])
  })

  it('a tool is never kept if it has no kind, or if it refers to state that is stored at the provider', () => {
    const tools = [{ type: 'mcp', server_label: 'x', connector_id: 'c' }, { type: 'x_search' }]
    expect(taken('responses', { tools })).toMatchObject({
      lost: ['tools.mcp', 'tools.x_search'],
      lostKinds: [null, null],
    })
    expect(taken('responses', { tools }).run).toBeUndefined()
  })

  it('tools of a large body are kept without reading the body a second time', () => {
    const json = parseJson(byteTextOf(JSON.stringify({ ...bodies.messages, tools: [search] })), requestLimits)
    if ('reason' in json) throw new Error(json.reason)
    const request = wires.messages.parseRequest(json, path, (_, offered, isLarge) =>
      isLarge ? offered : new Set(),
    )
    if (isFault(request)) throw new Error(request.reason)
    expect(bodyFor(request, 5).tools).toEqual([{ ...search, max_uses: 5 }])
    expect(request.run?.dropped).toMatchObject({ kind: 'fault', code: 'unsupported_for_route' })
  })

  it('removing tools changes no other byte of the body, for any combination and order of tools', () => {
    const offered = [own.responses, ...theirs.responses]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...offered), { maxLength: 8 }),
        fc.subarray([...toolKinds]),
        fc.integer({ min: 1, max: 9 }),
        (tools, kinds, usesMax) => {
          const request = taken(
            'responses',
            { tools },
            (_, found) => new Set(kinds.filter((kind) => found.has(kind))),
          )
          const left = bodyFor(request, request.run?.limits.length ? usesMax : null)
          const { max_tool_calls: limit, tools: sentTools = [], ...others } = left
          expect(others).toEqual(bodies.responses)
          expect(limit).toBe(request.run?.limits.length ? usesMax : undefined)
          expect(Object(sentTools)).toHaveLength(tools.length - (request.lost?.length ?? 0))
        },
      ),
      { numRuns: 300 },
    )
  })
})

it.each(['chat', 'messages'] as const)(
  'the work to remove a provider’s tool from many tools of the %s format grows with their number, not with its square',
  (wire) => {
    const tools = [...theirs[wire].slice(0, 1), ...Array.from({ length: 100_000 }, () => ({}))]
    const text = byteTextOf(JSON.stringify({ ...bodies[wire], tools }))
    const request = withinCpu(500, () => wires[wire].parseRequest(text, path))
    expect(request).toHaveProperty('lost', [expect.stringContaining('tools.web_search')])
  },
)
