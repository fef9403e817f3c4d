using LoadTesting.Contracts;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.CSharp;

/// <summary>
/// Makes the load of a scenario: the simulations of the built-in API, where none or a rate of 0 is a pause.
/// </summary>
public static class Simulation
{
    /// <inheritdoc cref="BuiltIn.Simulation.RampingConstant"/>
    public static LoadSimulation RampingConstant(int copies, TimeSpan during) =>
        BuiltIn.Simulation.RampingConstant(copies, during);

    /// <inheritdoc cref="BuiltIn.Simulation.KeepConstant"/>
    public static LoadSimulation KeepConstant(int copies, TimeSpan during) =>
        LoadSimulation.NewKeepConstant(copies, during);

    /// <inheritdoc cref="BuiltIn.Simulation.RampingInject"/>
    public static LoadSimulation RampingInject(int rate, TimeSpan interval, TimeSpan during) =>
        BuiltIn.Simulation.RampingInject(rate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.Inject"/>
    public static LoadSimulation Inject(int rate, TimeSpan interval, TimeSpan during) =>
        LoadSimulation.NewInject(rate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.InjectRandom"/>
    public static LoadSimulation InjectRandom(int minRate, int maxRate, TimeSpan interval, TimeSpan during) =>
        LoadSimulation.NewInjectRandom(minRate, maxRate, interval, during);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForConstant"/>
    public static LoadSimulation IterationsForConstant(int copies, int iterations) =>
        LoadSimulation.NewIterationsForConstant(copies, iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForInject"/>
    public static LoadSimulation IterationsForInject(int rate, TimeSpan interval, int iterations) =>
        BuiltIn.Simulation.IterationsForInject(rate, interval, iterations);

    /// <summary>
    /// Nothing starts for <paramref name="during"/>; what still runs goes on. Pauses alone are not a load: see
    /// <see cref="Scenario.WithLoadSimulations"/>.
    /// </summary>
    /// <inheritdoc cref="BuiltIn.Simulation.Pause"/>
    public static LoadSimulation Pause(TimeSpan during) => BuiltIn.Simulation.Pause(during);
}
