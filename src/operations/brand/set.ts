import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { brandFields } from '#operations/brand/shared/brand-input-fields.ts'
import { brandState, BrandView, brandView } from '#operations/brand/shared/brand-view.ts'

export default operation({
  id: 'brand.set',
  method: 'PATCH',
  path: '/v1/brand',
  scope: 'application',
  summary: 'Change the portal brand',
  description:
    'Changes the fields that are sent, and returns the brand. Omitted fields keep their values, and null removes a value. The response has a warning if the contrast of the color to white is below 4.5:1. The logo is uploaded with `brand.logo`.',
  body: z.strictObject(brandFields).partial(),
  output: BrandView,
  configures: 'application',
  async run({ body }, context) {
    const { application, store } = context
    const { logo: _, ...brand } = await store.brands.of(application.id)
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    await store.brands.put(application.id, { ...brand, ...given })
    return brandView(context)
  },
  revision: (_, context) => brandState(context),
})
