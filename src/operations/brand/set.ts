import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { brandFields } from './brand-fields.ts'
import { brandState, BrandView, brandView } from './brand-view.ts'

export default operation({
  id: 'brand.set',
  method: 'PATCH',
  path: '/v1/brand',
  scope: 'application',
  summary: 'Change how the portal looks',
  description:
    'Fields left out stay; null takes a field away. The answer tells how well the colour is read, and warns below a contrast of 4.5:1 to white. The logo is uploaded with brand.logo.',
  body: z.strictObject(brandFields).partial(),
  output: BrandView,
  changes: 'application',
  async run({ body }, context) {
    const { application, store } = context
    const { logo: _, ...brand } = await store.brands.of(application.id)
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    await store.brands.put(application.id, { ...brand, ...given })
    return brandView(context)
  },
  revision: (_, context) => brandState(context),
})
