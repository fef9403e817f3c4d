using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>
/// One stretch of load: a simulation of the built-in API, to and from which it converts. What that refuses is made of
/// what it takes: no copies, or a rate of 0, is a pause, and copies that find nothing to do are left out.
/// </summary>
public sealed record LoadSimulation
{
    private LoadSimulation(BuiltIn.LoadSimulation builtIn) => Value = builtIn;

    public BuiltIn.LoadSimulation Value { get; }

    public static implicit operator LoadSimulation(BuiltIn.LoadSimulation builtIn) => new(builtIn);

    public static implicit operator BuiltIn.LoadSimulation(LoadSimulation simulation) => simulation.Value;

    /// <inheritdoc cref="BuiltIn.Simulation.RampingConstant"/>
    public static LoadSimulation NewRampingConstant(int _copies, TimeSpan _during) =>
        BuiltIn.Simulation.RampingConstant(_copies, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.KeepConstant"/>
    public static LoadSimulation NewKeepConstant(int _copies, TimeSpan _during) =>
        _copies == 0 ? BuiltIn.Simulation.Pause(_during) : BuiltIn.Simulation.KeepConstant(_copies, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.RampingInject"/>
    public static LoadSimulation NewRampingInject(int _rate, TimeSpan _interval, TimeSpan _during) =>
        BuiltIn.Simulation.RampingInject(_rate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.Inject"/>
    public static LoadSimulation NewInject(int _rate, TimeSpan _interval, TimeSpan _during) =>
        _rate == 0 ? BuiltIn.Simulation.Pause(_during) : BuiltIn.Simulation.Inject(_rate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.InjectRandom"/>
    public static LoadSimulation NewInjectRandom(int _minRate, int _maxRate, TimeSpan _interval, TimeSpan _during) =>
        _maxRate == 0
            ? BuiltIn.Simulation.Pause(_during)
            : BuiltIn.Simulation.InjectRandom(_minRate, _maxRate, _interval, _during);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForConstant"/>
    public static LoadSimulation NewIterationsForConstant(int _copies, int _iterations) =>
        BuiltIn.Simulation.IterationsForConstant(Math.Min(_copies, Math.Max(_iterations, 1)), _iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.IterationsForInject"/>
    public static LoadSimulation NewIterationsForInject(int _rate, TimeSpan _interval, int _iterations) =>
        BuiltIn.Simulation.IterationsForInject(_rate, _interval, _iterations);

    /// <inheritdoc cref="BuiltIn.Simulation.Pause"/>
    public static LoadSimulation NewPause(TimeSpan _during) => BuiltIn.Simulation.Pause(_during);

    public override string ToString() => Value.ToString();
}
