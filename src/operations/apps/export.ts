import { operationOn } from '#operations/operation.ts'
import { Configuration, readConfiguration } from './configuration/configuration.ts'
import { ownConfiguration } from './configuration/own-configuration.ts'

export default operationOn(ownConfiguration, {
  id: 'apps.export',
  method: 'GET',
  path: '/v1/apps/{slug}/configuration',
  summary: 'Export the configuration of an application',
  description:
    'Everything that apps.apply can bring about, as one document for version control: name, settings of the gateway, provider accounts by label and without secrets, model names, bundles whole, outcomes. The same configuration is always the same bytes. Patterns that mean no name any more are left out. People, keys and money are no configuration.',
  isExtension: true,
  isForOneApplication: true,
  output: Configuration,
  run: (application, context) => readConfiguration({ ...context, application }),
})
