namespace Microsoft.FSharp.Core;

/// <summary>The option type of F#, in which NBomber gives payloads.</summary>
public sealed record FSharpOption<T>(T Value);
