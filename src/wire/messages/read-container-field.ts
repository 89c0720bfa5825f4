import type { ContainerUse } from '#wire/container-use-types.ts'
import type { KeptKinds } from '#wire/remove-provider-tools.ts'
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { isGiven, mustBe, refuseForRoute, spanOf, textAt } from '#wire/wire-request.ts'

interface Container {
  /** Null for a new container, and for a request without a container. */
  readonly use: ContainerUse | null
  readonly hiddenTokens: number
}

/** The field `container` is the ID of a container, or an object with the ID and with skills. */
export function containerAt(json: Json, field: Node, kept: KeptKinds): Container {
  if (!isGiven(json, field)) return { use: null, hiddenTokens: 0 }
  if (![...kept].some((kind) => codeKinds.has(kind))) refuseForRoute('container', noCode)
  const kind = kindOf(json, field)
  if (kind === kinds.string) return { use: useOf(json, field), hiddenTokens: 0 }
  if (kind !== kinds.object) mustBe('container', 'the ID of a container, or an object')
  const id = member(json, field, 'id')
  const skills = itemsOf(json, member(json, field, 'skills'))
  for (const [i, skill] of skills.entries())
    if (typeOf(json, skill, 'custom') !== 'anthropic') refuseForRoute(`container.skills.${i}`, notPublished)
  return { use: isGiven(json, id) ? useOf(json, id) : null, hiddenTokens: skills.length * skillTokens }
}

function useOf(json: Json, id: Node): ContainerUse {
  return { id: textAt(json, id) ?? mustBe('container', 'the ID of a container'), place: spanOf(json, id) }
}

/** Newer searches and fetches also run in a container, because they filter their results with code. */
const codeKinds: ReadonlySet<string> = new Set(['codeExecution', 'webSearch', 'webFetch'])

const noCode =
  'the request has no tool that runs code at the provider. Offer code_execution to a model whose price has codeSession, or omit the field'

const notPublished =
  'a skill that is not published by the provider belongs to the whole account, not to one end user. Use a skill of type anthropic'

/**
 * The model reads the skill's instructions with code, so the input contains only the name and the description of the
 * skill.
 */
const skillTokens = 1_024
