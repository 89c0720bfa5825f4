import { operationOn } from '#operations/kernel/declare-operation.ts'
import { Configuration, readConfiguration } from './configuration/configuration.ts'
import { ownConfiguration } from './configuration/configuration-with-etag.ts'

export default operationOn(ownConfiguration, {
  id: 'apps.export',
  method: 'GET',
  path: '/v1/apps/{slug}/configuration',
  summary: 'Export the configuration of an application',
  description:
    'Returns the configuration that `apps.apply` accepts, as one document for version control. Equal configurations return byte-identical documents.\n\n- Provider accounts are listed by label, without credentials.\n- Patterns of a bundle that no longer match any model name are omitted.\n- End users, keys and money are not part of the configuration. A team in the document contains its payer, but not its members.',
  isExtension: true,
  isForOneApplication: true,
  output: Configuration,
  run: (application, context) => readConfiguration({ ...context, application }),
})
