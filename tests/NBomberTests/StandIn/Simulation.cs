using NBomber.Contracts;

namespace NBomber.CSharp;

public static class Simulation
{
    public static LoadSimulation KeepConstant(int copies, TimeSpan during) => new(copies, copies, null, during);

    public static LoadSimulation RampingConstant(int copies, TimeSpan during) =>
        new(copies, copies, null, during, IsRamp: true);

    public static LoadSimulation Inject(int rate, TimeSpan interval, TimeSpan during) =>
        new(rate, rate, interval, during);

    public static LoadSimulation RampingInject(int rate, TimeSpan interval, TimeSpan during) =>
        new(rate, rate, interval, during, IsRamp: true);

    public static LoadSimulation InjectRandom(int minRate, int maxRate, TimeSpan interval, TimeSpan during) =>
        new(minRate, maxRate, interval, during);

    public static LoadSimulation Pause(TimeSpan during) => new(0, 0, null, during);
}
