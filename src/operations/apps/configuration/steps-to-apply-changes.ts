import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type Given, type PutFields, putValues, type Values } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'

export type ApplyCode =
  | 'not_found'
  | 'in_use'
  | 'name_taken'
  | 'unknown_model_pattern'
  | 'model_unpriced'
  | 'invalid_request'

type Json = Record<string, unknown>

const State = z.record(z.string(), z.unknown()).nullable()

export const ChangeView = z
  .object({
    action: z.enum(['create', 'update', 'remove', 'none']).meta({
      description:
        'Type of the change. `none` means that the resource is not in the document and is kept. To delete the resource, set `prune` to `true`.',
    }),
    resource: z
      .enum(['application', 'brand', 'gateway', 'model', 'router', 'bundle', 'outcome', 'team'])
      .meta({ description: 'Type of the resource.' }),
    path: z.string().meta({
      description: 'Section of the document, followed by the name of the item if the section is a list.',
      examples: ['bundles/pro'],
    }),
    before: State.meta({
      description:
        'State before the change, in the format of the configuration document. Null if the resource did not exist.',
    }),
    after: State.meta({
      description:
        'State after the change, in the format of the configuration document. Null if the resource was deleted.',
    }),
  })
  .meta({ id: 'ConfigurationChange', description: 'The change of one resource of the configuration.' })

export type Change = z.output<typeof ChangeView>

export interface Step {
  readonly change: Change
  /** Null if nothing needs to be written. */
  readonly run: (() => Promise<void>) | null
}

export interface Part<Item> {
  readonly current: readonly Item[]
  readonly wanted: readonly Item[] | undefined
  readonly prune: boolean
}

/** An omitted field keeps the value of the stored item with the same name. */
export function wantedItems<F extends PutFields>(
  field: string,
  fields: F,
  sent: readonly Given<F>[] | undefined,
  storedAs: (item: Given<F>) => Values<F> | undefined,
): Values<F>[] | undefined | Refused<'invalid_request'> {
  const wanted: Values<F>[] = []
  for (const [index, item] of (sent ?? []).entries()) {
    const values = putValues(fields, item, storedAs(item) ?? null, `${field}.${index}.`)
    if (values instanceof Refused) return values
    wanted.push(values)
  }
  return sent && wanted
}

export interface Kind<Item> {
  readonly resource: Change['resource']
  readonly field: string
  readonly schema: z.ZodType<Item>
  nameOf(item: Item): string
  /** @param at the item's path in the document */
  prepare(item: Item, at: string): Promise<Item | Refused<ApplyCode>>
  /** The new state of a stored item that the document omits and that is kept. */
  kept?(item: Item): Item
  removalFault?(item: Item): Promise<Refused<ApplyCode> | null>
  put(item: Item, before: Item | null): Promise<void>
  remove(item: Item): Promise<void>
}

/** Returns the steps that turn the stored items into the items of the document, sorted by name. */
export async function stepsOf<Item>(
  kind: Kind<Item>,
  { current, prune, wanted }: Part<Item>,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const before = new Map(current.map((item) => [kind.nameOf(item), item]))
  const after = new Map<string, Item>()
  for (const [index, item] of (wanted ?? []).entries()) {
    const name = kind.nameOf(item)
    const at = `${kind.field}.${index}`
    if (after.has(name)) return invalid(`${kind.field} contains ${name} twice.`, at)
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    const prepared = await kind.prepare(item, at)
    if (prepared instanceof Refused) return prepared
    after.set(name, prepared)
  }
  const steps: Step[] = []
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const [old, next] = [before.get(name), after.get(name)]
    // oxlint-disable-next-line no-await-in-loop -- as above
    const step = await stepOf(kind, name, old, next, prune && wanted !== undefined)
    if (step instanceof Refused) return step
    // If the document omits this list, report only the changes that result from other lists.
    if (step && (wanted !== undefined || step.change.action !== 'none')) steps.push(step)
  }
  return steps
}

async function stepOf<Item>(
  kind: Kind<Item>,
  name: string,
  old: Item | undefined,
  next: Item | undefined,
  prune: boolean,
): Promise<Step | Refused<ApplyCode> | null> {
  if (next !== undefined) {
    const change = changeOf(kind, name, old, next)
    return change.action === 'none' ? null : { change, run: () => kind.put(next, old ?? null) }
  }
  if (old === undefined) return null
  // An omitted item is kept. If another list changes it, that list's steps write the change.
  if (!prune) return { change: changeOf(kind, name, old, kind.kept?.(old) ?? old), run: null }
  const fault = await kind.removalFault?.(old)
  return fault ?? { change: changeOf(kind, name, old, undefined), run: () => kind.remove(old) }
}

/** @param name null if the section is a single resource and not a list */
export function changeOf<Item>(
  { field, resource, schema }: Pick<Kind<Item>, 'resource' | 'schema' | 'field'>,
  name: string | null,
  old: Item | undefined,
  next: Item | undefined,
): Change {
  const before = old === undefined ? null : jsonOf(schema, old)
  const after = next === undefined ? null : jsonOf(schema, next)
  return {
    action: actionOf(before, after),
    resource,
    path: name === null ? field : `${field}/${name}`,
    before,
    after,
  }
}

function actionOf(before: Json | null, after: Json | null): Change['action'] {
  if (before === null) return 'create'
  if (after === null) return 'remove'
  return isDeepStrictEqual(before, after) ? 'none' : 'update'
}

function jsonOf<Item>(schema: z.ZodType<Item>, item: Item): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items are objects, and their JSON is too
  return z.encode(schema, item) as Json
}

export function invalid(reason: string, param: string): Refused<'invalid_request'> {
  return refused('invalid_request', { reason }, param)
}
