import type { UpstreamWire } from '#domain/accounts/provider-kinds.ts'

/**
 * The top-level fields of each wire's requests (docs/reference/wires.md "Requests on the chat wire" and the sections of
 * the other wires). A field of another wire is rejected, so that tests detect a conversion that did not remove it.
 * Vendors reject every unknown field, but the simulator accepts fields of no wire, so new fields need no update here.
 */
const fields: Readonly<Record<UpstreamWire, readonly string[]>> = {
  chat: words(`
    messages model audio frequency_penalty presence_penalty function_call functions logit_bias logprobs
    top_logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls
    prediction prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort
    response_format safety_identifier seed service_tier stop store stream stream_options temperature top_p
    tools tool_choice user verbosity web_search_options
    top_k thinking reasoning`), // The last three fields exist only at compatible servers.
  messages: words(`
    max_tokens messages model system cache_control container context_management diagnostics inference_geo
    mcp_servers metadata output_config service_tier speed stop_sequences stream thinking tool_choice tools
    temperature top_p top_k`),
  generate: words(`
    contents systemInstruction system_instruction tools toolConfig tool_config safetySettings
    safety_settings generationConfig generation_config cachedContent cached_content labels serviceTier
    service_tier store continuationToken model generateContentRequest`),
  responses: words(`
    input instructions model max_output_tokens max_tool_calls metadata parallel_tool_calls
    previous_response_id conversation prompt prompt_cache_key prompt_cache_options prompt_cache_retention
    reasoning safety_identifier service_tier store stream stream_options temperature top_p text tool_choice
    tools top_logprobs truncation background background_options include context_management moderation access_programs image
    user`),
  converse: words(`
    messages system inferenceConfig toolConfig outputConfig guardrailConfig additionalModelRequestFields
    additionalModelResponseFieldPaths promptVariables requestMetadata performanceConfig serviceTier`),
  cohere: words(`
    model messages tools strict_tools documents citation_options response_format safety_mode max_tokens
    stop_sequences temperature seed frequency_penalty presence_penalty k p logprobs tool_choice thinking
    priority stream`),
}

/** `svc` is the gateway's own field and must never reach a provider. */
const known = new Set([...Object.values(fields).flat(), 'svc'])

const own: Readonly<Record<UpstreamWire, ReadonlySet<string>>> = {
  chat: new Set(fields.chat),
  messages: new Set(fields.messages),
  generate: new Set(fields.generate),
  responses: new Set(fields.responses),
  converse: new Set(fields.converse),
  cohere: new Set(fields.cohere),
}

export function foreignField(wire: UpstreamWire, body: object): string | null {
  return Object.keys(body).find((name) => known.has(name) && !own[wire].has(name)) ?? null
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
