import { operation } from '#operations/operation.ts'
import { brandState, BrandView, brandView } from './brand-view.ts'

export default operation({
  id: 'brand.show',
  method: 'GET',
  path: '/v1/brand',
  scope: 'application',
  summary: 'Show how the portal looks',
  description:
    'Name, colour, logo and support of the portal of the application, and how well its colour is read.',
  output: BrandView,
  run: (_, context) => brandView(context),
  revision: (_, context) => brandState(context),
})
