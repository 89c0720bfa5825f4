import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { brandFields } from '#operations/brand/shared/brand-input-fields.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { changeOf, type Step } from './steps-to-apply-changes.ts'

/** The logo is uploaded as a separate file. */
export const BrandItem = z.strictObject(brandFields).meta({
  id: 'ConfigurationBrand',
  description: 'Brand of the portal, with the fields of `brand.set`. The logo is uploaded separately.',
})

/** An omitted field keeps its value, and null removes the value. */
export const WantedBrand = z.strictObject(brandFields).partial()

type Item = z.output<typeof BrandItem>

export async function readBrand({ application, store }: ApplicationContext): Promise<Item> {
  const { logo: _, ...brand } = await store.brands.of(application.id)
  return brand
}

export function brandSteps(
  { current, wanted }: { readonly current: Item; readonly wanted: z.output<typeof WantedBrand> | undefined },
  { application, store }: ApplicationContext,
): readonly Step[] {
  if (wanted === undefined) return []
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const next: Item = { ...current, ...given }
  if (isDeepStrictEqual(current, next)) return []
  const change = changeOf({ resource: 'brand', field: 'brand', schema: BrandItem }, null, current, next)
  return [{ change, run: () => store.brands.put(application.id, next) }]
}
