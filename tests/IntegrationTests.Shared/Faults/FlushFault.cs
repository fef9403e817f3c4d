namespace IntegrationTests.Shared.Faults;

/// <summary>How a flush fails.</summary>
/// <param name="Failure">What the engine gets.</param>
/// <param name="AfterCommit">True: it is committed all the same.</param>
/// <param name="ThenAway">True: the store cannot be reached from then on.</param>
public sealed record FlushFault(FlushFailure Failure, bool AfterCommit, bool ThenAway = false);
