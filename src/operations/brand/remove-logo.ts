import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { BrandView, brandView } from '#operations/brand/shared/brand-view.ts'

export default operation({
  id: 'brand.removeLogo',
  method: 'DELETE',
  path: '/v1/brand/logo',
  scope: 'application',
  isExtension: true,
  summary: 'Delete the portal logo',
  description: 'Deletes the logo and returns the brand. The path of the logo then returns 404.',
  output: BrandView,
  errors: ['not_found'],
  async run(_, context) {
    const { application, store } = context
    const { logo } = await store.brands.of(application.id)
    if (!logo) return refused('not_found', { resource: 'logo of', id: application.slug })
    await store.brands.removeLogo(application.id)
    return brandView(context)
  },
})
