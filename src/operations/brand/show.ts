import { operation } from '#operations/kernel/declare-operation.ts'
import { brandState, BrandView, brandView } from '#operations/brand/shared/brand-view.ts'

export default operation({
  id: 'brand.show',
  method: 'GET',
  path: '/v1/brand',
  scope: 'application',
  summary: 'Show the portal brand',
  description:
    'Returns the name, color, logo and support contact of the portal, and the readability of the color.',
  output: BrandView,
  run: (_, context) => brandView(context),
  revision: (_, context) => brandState(context),
})
