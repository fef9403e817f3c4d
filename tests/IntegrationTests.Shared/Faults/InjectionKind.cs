namespace IntegrationTests.Shared.Faults;

/// <summary>What an <see cref="Injection"/> does.</summary>
public enum InjectionKind
{
    /// <summary>Every flush takes a share longer.</summary>
    Delay,

    /// <summary>One more transaction with an id of its own for each workflow that is started.</summary>
    Commit,

    /// <summary>One more statement for each workflow that is started.</summary>
    Query,

    /// <summary>One completion reaches no consumer.</summary>
    Lost,
}
