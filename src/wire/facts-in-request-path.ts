/** Facts about a request that some APIs state in their paths. */
export interface PathFacts {
  /** Set for Bedrock's `invoke`. The path contains the model. */
  readonly isInvoke?: true
  /** Set for Vertex AI's `rawPredict`. The path contains the model, and the body has the format of messages. */
  readonly isRawPredict?: true
  /** The API version of Cohere's embeddings or rerankings. Absent for the first version. */
  readonly version?: 'v2'
}

/** The facts of a path that contains neither a model nor the choice of streaming. The body contains both. */
export const factsInBody = { model: null, isStream: false, isJsonArray: false } as const
