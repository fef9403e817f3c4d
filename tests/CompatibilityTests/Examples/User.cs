namespace CompatibilityTests.Examples;

public class User
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
}
