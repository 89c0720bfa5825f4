import { decodedName } from './decode-model-name.ts'

export interface AzurePath {
  readonly openaiPath: string
  /** The deployment in the path is a model name of the application. Null if the body states the model. */
  readonly deployment: string | null
}

/**
 * The deployment's name is everything between the prefix and the operation. Some clients encode the slashes in this
 * name.
 */
const deploymentPath =
  /^\/openai\/deployments\/(?<deployment>[^/].*?)\/(?<operation>(?:chat\/)?completions|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/

/** The paths of Azure's v1 API, and the older paths without a version. */
const otherPath = /^\/openai\/(?:v1\/)?(?!deployments\/)(?<operation>.+)$/

/** Returns the parts of a path of Azure OpenAI (docs/reference/wires.md "Azure OpenAI"). Null for any other path. */
export function azurePath(path: string): AzurePath | null {
  const { deployment, operation } = deploymentPath.exec(path)?.groups ?? otherPath.exec(path)?.groups ?? {}
  if (operation === undefined) return null
  const openaiPath = `/v1/${operation}`
  if (deployment === undefined) return { openaiPath, deployment: null }
  const name = decodedName(deployment)
  return name === null ? null : { openaiPath, deployment: name }
}
