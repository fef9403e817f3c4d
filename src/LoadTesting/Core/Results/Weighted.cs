namespace LoadTesting.Core.Results;

internal static class Weighted
{
    /// <summary>The weighted mean; null when a value is missing or nothing weighs anything.</summary>
    public static double? Mean(IEnumerable<(double? Value, double Weight)> values)
    {
        var list = values.ToList();
        var weight = list.Sum(value => value.Weight);
        return weight > 0 && list.All(value => value.Value is not null)
            ? list.Sum(value => value.Value!.Value * value.Weight) / weight
            : null;
    }
}
