import * as z from 'zod'
import { PublicBrand, publicBrand } from '#operations/brand/brand-view.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'

export default operation({
  id: 'portal.application',
  method: 'GET',
  path: '/v1/portal-applications/{keyCode}',
  scope: 'public',
  summary: 'Show whose portal it is',
  description:
    "Name, brand and portal of the application whose keys have that code, for pages that nobody is signed in to yet. The host of a portal tells its own application's alone.",
  parameters: {
    keyCode: text(16).meta({ description: 'The `<code>` in `ak_<code>_…`.', examples: ['k3v9xq'] }),
  },
  output: z.object({
    name: z.string().meta({ description: 'Name of the application.' }),
    portal: z.string().meta({ description: 'Address of its portal.' }),
    localPortal: z.exactOptional(z.string()).meta({
      description: 'The same by address and port, for clients that do not resolve `*.localhost`.',
    }),
    brand: PublicBrand.meta({ description: 'How the portal looks.' }),
  }),
  errors: ['not_found'],
  async run({ path }, { portalOf, ports, store }) {
    const application = await store.applications.byCode(path.keyCode)
    const isShown =
      application && application.archivedAtMs === null && (portalOf === null || portalOf === application.id)
    if (!isShown) return refused('not_found', { resource: 'application', id: path.keyCode }, 'keyCode')
    const { localPortal, portal } = ports.urls(application)
    return {
      name: application.name,
      portal,
      ...(localPortal !== undefined && { localPortal }),
      brand: publicBrand(await store.brands.of(application.id), application),
    }
  },
})
