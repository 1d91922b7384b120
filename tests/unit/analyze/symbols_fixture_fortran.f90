! Compiled where there is a Fortran compiler: a module's procedure.
module solver
  use iso_c_binding
  integer, volatile :: counter = 0
  abstract interface
    subroutine callback() bind(c)
    end subroutine
  end interface
contains
  subroutine step(call_me)
    procedure(callback), pointer, intent(in) :: call_me
    call call_me()
    counter = counter + 1
  end subroutine
end module

subroutine fixture_fortran(address) bind(c)
  use solver
  type(c_funptr), value :: address
  procedure(callback), pointer :: call_me
  call c_f_procpointer(address, call_me)
  call step(call_me)
end subroutine
