import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type Given, type PutFields, putValues, type Values } from '#operations/put-fields.ts'
import { Refused, refused } from '#operations/refused.ts'

/** Refusals of a document: those of the operations that it stands for. */
export type ApplyCode =
  | 'not_found'
  | 'in_use'
  | 'name_taken'
  | 'unknown_model_pattern'
  | 'model_unpriced'
  | 'invalid_request'

type Json = Record<string, unknown>

const State = z.record(z.string(), z.unknown()).nullable()

/** What becomes of one resource. */
export const ChangeView = z
  .object({
    action: z.enum(['create', 'update', 'remove', 'none']).meta({
      description: '`none`: it is not in the document and stays; `prune` would remove it.',
    }),
    resource: z
      .enum(['application', 'brand', 'gateway', 'model', 'router', 'bundle', 'outcome'])
      .meta({ description: 'Its noun.' }),
    path: z.string().meta({
      description: 'Its part of the document, and its name there.',
      examples: ['bundles/pro'],
    }),
    before: State.meta({ description: 'As the document had it; null: it was not there.' }),
    after: State.meta({ description: 'As the document has it; null: it is gone.' }),
  })
  .meta({ id: 'ConfigurationChange', description: 'What becomes of one resource of the configuration.' })

export type Change = z.output<typeof ChangeView>

export interface Step {
  readonly change: Change
  /** Null: nothing is to be written for it. */
  readonly run: (() => Promise<void>) | null
}

/** A list of the document, and what of it there is. */
export interface Part<Item> {
  readonly current: readonly Item[]
  /** Undefined: the document does not manage it. */
  readonly wanted: readonly Item[] | undefined
  /** Whether what is not wanted goes. */
  readonly prune: boolean
}

/**
 * The items of a list as they are to be, by the rule of PUT: what an item omits is kept from the item of its name.
 * @param field the field of the document that has the list
 * @param storedAs the present item of the same name
 */
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

/** How the items of a list are told apart, checked and written. */
export interface Kind<Item> {
  readonly resource: Change['resource']
  /** Its field in the document. */
  readonly field: string
  readonly schema: z.ZodType<Item>
  nameOf(item: Item): string
  /**
   * A wanted item as it is to be stored.
   * @param at the field of the document that it is in
   */
  prepare(item: Item, at: string): Promise<Item | Refused<ApplyCode>>
  /** What becomes of an item that is not wanted and stays. */
  kept?(item: Item): Item
  /** Why an item cannot be removed. */
  removalFault?(item: Item): Promise<Refused<ApplyCode> | null>
  put(item: Item, before: Item | null): Promise<void>
  remove(item: Item): Promise<void>
}

/** The steps from what there is to what is wanted, in name order. Writes nothing itself. */
export async function stepsOf<Item>(
  kind: Kind<Item>,
  { current, prune, wanted }: Part<Item>,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const before = new Map(current.map((item) => [kind.nameOf(item), item]))
  const after = new Map<string, Item>()
  for (const [index, item] of (wanted ?? []).entries()) {
    const name = kind.nameOf(item)
    const at = `${kind.field}.${index}`
    if (after.has(name)) return invalid(`${kind.field} has ${name} twice.`, at)
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
    // Of a part that is not managed, only what other parts change in it is told.
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
  // What follows for it from other steps is written by them.
  if (!prune) return { change: changeOf(kind, name, old, kind.kept?.(old) ?? old), run: null }
  const fault = await kind.removalFault?.(old)
  return fault ?? { change: changeOf(kind, name, old, undefined), run: () => kind.remove(old) }
}

/**
 * The change from one state to another; one of the two is there.
 * @param name null: the part is one resource and no list
 */
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
